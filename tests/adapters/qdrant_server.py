"""A server on the loopback that speaks the routes of Qdrant's REST interface that the client uses, and keeps state.

What it knows is kept in the client library's own local mode, and a request that is not of the form of the library's
models, which are made of Qdrant's published document, is refused with 400, as Qdrant does.
"""

import json
import ssl
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from socket import SHUT_RDWR, socket
from threading import Event, Lock, Thread
from typing import Any, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python
from qdrant_client import QdrantClient, models


class Refused(Exception):
    """An answer that is an error: its status and message."""


class QdrantServer:
    """What a Qdrant server knows, and a socket that it is asked through. State survives `stop` and `start`.

    Args:
        api_key: Asked of every request; None: nobody is asked.
        certificate: A file with a certificate and its key; with one, the server speaks TLS.
    """

    def __init__(self, *, api_key: str | None = None, certificate: Path | None = None) -> None:
        self.api_key, self.certificate = api_key, certificate
        self.requests: list[str] = []
        self.hanging = Event()
        """While set, no request is answered."""
        self.state, self.indexes = QdrantClient(location=":memory:"), dict[str, models.PayloadSchemaType]()
        self._lock, self._dead, self._port = Lock(), Event(), 0
        self._http: _Http | None = None

    @property
    def url(self) -> str:
        """Where it listens, or listened."""
        return f"{'https' if self.certificate else 'http'}://127.0.0.1:{self._port}"

    def start(self) -> Self:
        """Listen; on the same port as before."""
        self._dead = Event()
        self._http = _Http(("127.0.0.1", self._port), self)
        self._port = self._http.server_address[1]
        Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def stop(self) -> None:
        """Die: nobody listens any more, and open connections are cut."""
        if self._http is not None:
            self._dead.set()
            self._http.shutdown()
            for connection in tuple(self._http.open):
                with suppress(OSError):
                    connection.shutdown(SHUT_RDWR)
            self._http.server_close()
            self._http = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.state.close()

    def respond(self, method: str, target: str, key: str | None, content: bytes) -> tuple[int, dict[str, Any]]:
        """Return the status and body of the answer to a request; `ConnectionAbortedError`: the server died."""
        parts, dead = urlsplit(target), self._dead
        self.requests.append(f"{method} {parts.path}")
        while self.hanging.is_set():
            if dead.wait(0.02):
                raise ConnectionAbortedError
        try:
            if self.api_key not in (None, key):
                raise Refused(*((401, "Must provide an API key") if key is None else (403, "Forbidden")))
            body = json.loads(content) if content else None
            return 200, {"result": self._result(method, parts.path, body), "status": "ok", "time": 0.001}
        except Refused as error:
            return error.args[0], failed(error.args[1])
        except (ValueError, ValidationError) as error:
            return 400, failed(f"Format error: {str(error)[:400]}")
        except Exception as error:  # whatever the local mode cannot do shows where it is asked for
            return 500, failed(f"Service internal error: {error!r}")

    def _result(self, method: str, path: str, body: Any) -> Any:
        _, _, name, *ending = path.split("/")
        if (method, "/".join(ending)) not in ROUTES:
            raise Refused(404, f"no route {method} {path}")
        kind, answer = ROUTES[method, "/".join(ending)]
        with self._lock:
            needs_one = (method, *ending) not in [("GET", "exists"), ("PUT",), ("DELETE",)]
            if needs_one and not self.state.collection_exists(name):
                raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
            asked = kind.model_validate(body) if kind else body
            return to_jsonable_python(answer(self, name, asked), exclude_none=True)


def _described(server: QdrantServer, name: str, _: Any) -> Any:
    indexed = {key: models.PayloadIndexInfo(data_type=kind, points=0) for key, kind in server.indexes.items()}
    return server.state.get_collection(name).model_copy(update={"payload_schema": indexed})


def _made(server: QdrantServer, name: str, asked: models.CreateCollection) -> Any:
    if server.state.collection_exists(name):
        raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
    server.indexes.clear()
    return server.state.create_collection(
        name, vectors_config=asked.vectors, sparse_vectors_config=asked.sparse_vectors
    )


def _index_made(server: QdrantServer, name: str, asked: models.CreateFieldIndex) -> Any:
    server.indexes[asked.field_name] = models.PayloadSchemaType(asked.field_schema)
    return models.UpdateResult(operation_id=0, status=models.UpdateStatus.COMPLETED)


def _searched(server: QdrantServer, name: str, asked: models.QueryRequestBatch) -> Any:
    """Search without how to search: local mode compares all, and warns of it; over what idf is taken stays."""
    searches = [
        one.model_copy(update={"params": models.SearchParams(idf=one.params.idf) if one.params else None})
        for one in asked.searches
    ]
    return server.state.query_batch_points(name, searches)


def _scrolled(server: QdrantServer, name: str, asked: models.ScrollRequest) -> Any:
    most, vectors = asked.limit or 10, asked.with_vector or False
    found = server.state.scroll(name, asked.filter, most, None, asked.offset, asked.with_payload, vectors)
    return {"points": found[0], "next_page_offset": found[1]}


def _counted(server: QdrantServer, name: str, asked: models.FacetRequest) -> Any:
    if asked.key not in server.indexes:
        raise Refused(400, f"Bad request: Index required but not found for {asked.key!r}")
    return server.state.facet(name, asked.key, asked.filter, asked.limit or 10, bool(asked.exact))


ROUTES: dict[tuple[str, str], tuple[type[BaseModel] | None, Callable[[QdrantServer, str, Any], Any]]] = {
    ("GET", "exists"): (None, lambda server, name, _: {"exists": server.state.collection_exists(name)}),
    ("GET", ""): (None, _described),
    ("PUT", ""): (models.CreateCollection, _made),
    ("PATCH", ""): (
        models.UpdateCollection,
        lambda server, name, asked: server.state.update_collection(name, metadata=asked.metadata),
    ),
    ("DELETE", ""): (None, lambda server, name, _: server.state.delete_collection(name)),
    ("PUT", "index"): (models.CreateFieldIndex, _index_made),
    ("PUT", "points"): (models.PointsList, lambda server, name, asked: server.state.upsert(name, asked.points)),
    ("POST", "points"): (
        models.PointRequest,  # backwards, for the published document promises no order
        lambda server, name, asked: server.state.retrieve(
            name, asked.ids, asked.with_payload, asked.with_vector or False
        )[::-1],
    ),
    ("POST", "points/delete"): (models.FilterSelector, lambda server, name, asked: server.state.delete(name, asked)),
    ("POST", "points/query/batch"): (models.QueryRequestBatch, _searched),
    ("POST", "points/count"): (
        models.CountRequest,
        lambda server, name, asked: server.state.count(name, count_filter=asked.filter, exact=bool(asked.exact)),
    ),
    ("POST", "points/scroll"): (models.ScrollRequest, _scrolled),
    ("POST", "facet"): (models.FacetRequest, _counted),
}


def failed(message: str) -> dict[str, Any]:
    return {"status": {"error": message}, "time": 0.0}


class _Http(ThreadingHTTPServer):
    """The listening socket and the connections that are open."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], owner: QdrantServer) -> None:
        super().__init__(address, _Handler)
        self.owner, self.open = owner, set[socket]()
        if owner.certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(owner.certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)

    def handle_error(self, *_: object) -> None:
        """Say nothing: a connection that was cut is meant to be."""


class _Handler(BaseHTTPRequestHandler):
    """One connection, kept alive between requests."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def setup(self) -> None:
        super().setup()
        self.server.open.add(self.connection)

    def finish(self) -> None:
        self.server.open.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def answer(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length") or 0))
        status, body = self.server.owner.respond(self.command, self.path, self.headers.get("api-key"), content)
        written = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)

    do_GET = do_PUT = do_PATCH = do_POST = do_DELETE = answer  # noqa: N815  # as the standard library looks them up

    def log_message(self, *_: object) -> None:
        """Keep standard error clean."""


def self_signed(folder: Path) -> Path:
    """Write a certificate for 127.0.0.1 that nobody but itself vouches for, with its key; return the file."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "qdrant of the tests")])
    now, day = datetime.now(UTC), timedelta(days=1)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now - day, now + day)
    public = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    for extension, critical in (
        (x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), False),
        (x509.BasicConstraints(ca=True, path_length=0), True),
        (public, False),
        (x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(public), False),
    ):
        made = made.add_extension(extension, critical=critical)
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    file = folder / "qdrant.pem"
    file.write_bytes(private + made.sign(key, hashes.SHA256()).public_bytes(pem))
    return file
