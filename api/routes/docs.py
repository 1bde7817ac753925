"""A page that shows the API: made from its own description, without scripts and without a request to anywhere."""

from html import escape
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse

from api.streams import own_schemas

router = APIRouter(include_in_schema=False)
STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#14262b}
code{background:#f1f5f5;padding:.1rem .3rem;border-radius:3px}table{border-collapse:collapse;width:100%}
td,th{border-bottom:1px solid #d3dddd;padding:.3rem .5rem;text-align:left;vertical-align:top}
h2{margin-top:2.5rem;border-top:2px solid #0b6374;padding-top:1rem}.limit{color:#4d5b60;font-size:.9rem}
@media(prefers-color-scheme:dark){body{background:#0f191c;color:#e4eeee}code{background:#1a282c}}"""
LIMITS = ("minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "minItems", "maxItems", "pattern")
HEAD = "<tr><th>Field (* required)</th><th>Type, limits</th><th>Meaning</th></tr>"
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Candor: the HTTP API</title>
<meta name="viewport" content="width=device-width"><style>{style}</style></head><body><h1>Candor: the HTTP API</h1>
<p>{about}</p><p>The same for programs: <a href="openapi.json"><code>openapi.json</code></a></p>{body}</body></html>"""


@router.get("/docs")
async def docs(request: Request) -> HTMLResponse:
    """Show every route with its request, its limits and its responses."""
    schema: dict[str, Any] = request.app.openapi()
    body = "".join(
        _route(method, path, operation, schema["components"]["schemas"])
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    )
    about = escape(schema["info"]["description"]).replace("\n\n", "<br>")
    return HTMLResponse(PAGE.format(style=STYLE, about=about, body=body))


def _route(method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    shown = f"<h2><code>{method.upper()} {escape(path)}</code></h2><p>{escape(operation['description'])}</p>"
    for content in operation.get("requestBody", {}).get("content", {}).values():
        shown += f"<h3>Request</h3>{_fields(content['schema'], schemas)}"
    for status, response in operation["responses"].items():
        shown += f"<h3>{status}</h3><p>{escape(response['description'])}</p>"
        contents = response.get("content", {})
        if status.startswith("2") and "application/json" in contents:
            shown += _fields(contents["application/json"]["schema"], schemas)
        if "text/event-stream" in contents:
            shown += _events(contents["text/event-stream"]["schema"], schemas)
    return shown


def _events(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    shown = "<p>As server-sent events, each with one JSON object in <code>data</code>:</p>"
    own = own_schemas()  # other schemas are shown where they are an answer of their own
    for kind in schema["anyOf"]:
        data = kind["properties"]["data"]
        content = data.get("contentSchema", {})
        name = kind["properties"].get("event", {}).get("const") or data.get("const", "data")
        shown += f"<h4><code>{escape(name)}</code></h4><p>{escape(kind['description'])}</p>"
        shown += f"<p>Data: {escape(_name(content) or name)}</p>"
        shown += _fields(content, schemas) if _name(content) in own else ""
    return shown


def _fields(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    found = schemas.get(_name(schema) or _name(schema.get("items", {})), schema)
    required = found.get("required", [])
    rows = "".join(
        f"<tr><td><code>{escape(name)}</code>{' *' if name in required else ''}</td><td>{_type(field)}</td>"
        f"<td>{escape(field.get('description', ''))}</td></tr>"
        for name, field in found.get("properties", {}).items()
    )
    return f"<table>{HEAD}{rows}</table>" if rows else ""


def _type(field: dict[str, Any]) -> str:
    options = field.get("anyOf", [field])
    limits = [f"{name} {option[name]}" for option in options for name in LIMITS if name in option]
    limits += [f"default {field['default']}"] if "default" in field else []
    return f"{escape(' or '.join(map(_kind, options)))}<br><span class='limit'>{escape(', '.join(limits))}</span>"


def _kind(option: dict[str, Any]) -> str:
    if "enum" in option:
        return ", ".join(str(value) for value in option["enum"])
    kind = _name(option) or str(option.get("const") or option.get("type", "any"))
    return f"{kind} of {_kind(option['items'])}" if kind == "array" and "items" in option else kind


def _name(schema: dict[str, Any]) -> str:
    return str(schema.get("$ref", "")).rsplit("/", 1)[-1]
