"""A server on the loopback that speaks the routes of Qdrant's REST interface that the client uses, and keeps state.

What it knows is kept in the client library's own local mode. Every request and every answer is held against Qdrant's
published document where that is at hand: a request that does not follow it is refused with 400, as Qdrant does.
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
from urllib.parse import parse_qs, urlsplit

import jsonschema
import qdrant_format
from pydantic import ValidationError
from pydantic_core import to_jsonable_python
from qdrant_client import QdrantClient, models

Route = Callable[[str, Any], Any]


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


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
        self._state, self._lock = QdrantClient(location=":memory:"), Lock()
        self._indexes: dict[str, models.PayloadSchemaType] = {}
        self._port = 0
        self._http: _Http | None = None
        self._dead = Event()

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
            self._http.cut()
            self._http.server_close()
            self._http = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._state.close()

    def drop(self, collection: str) -> None:
        """Lose a collection behind the client's back."""
        with self._lock:
            self._state.delete_collection(collection)
            self._indexes.clear()

    def respond(self, method: str, target: str, key: str | None, content: bytes) -> tuple[int, dict[str, Any]]:
        """Return the status and body of the answer to a request.

        Raises:
            ConnectionAbortedError: The server died meanwhile.
        """
        parts, dead = urlsplit(target), self._dead
        self.requests.append(f"{method} {parts.path}")
        while self.hanging.is_set():
            if dead.wait(0.02):
                raise ConnectionAbortedError
        try:
            self._admit(key)
            body = json.loads(content) if content else None
            qdrant_format.check_request(method, parts.path, set(parse_qs(parts.query)), body)
            with self._lock:
                found = self._route(method, parts.path)(parts.path.split("/")[2], body)
                result = to_jsonable_python(found, exclude_none=True)
            answer = {"result": result, "status": "ok", "time": 0.001}
            qdrant_format.check_answer(method, parts.path, answer)
            return 200, answer
        except Refused as error:
            return error.status, failed(str(error))
        except (ValueError, ValidationError, jsonschema.ValidationError) as error:
            return 400, failed(f"Format error: {str(error)[:400]}")
        except Exception as error:  # whatever the local mode cannot do shows where it is asked for
            return 500, failed(f"Service internal error: {error!r}")

    def _admit(self, key: str | None) -> None:
        if self.api_key is not None and key is None:
            raise Refused(401, "Must provide an API key or an Authorization bearer token")
        if self.api_key is not None and key != self.api_key:
            raise Refused(403, "Forbidden")

    def _route(self, method: str, path: str) -> Route:
        routes: dict[tuple[str, str], Route] = {
            ("GET", "exists"): self._exists,
            ("GET", ""): self._describe,
            ("PUT", ""): self._create,
            ("PATCH", ""): self._update,
            ("DELETE", ""): self._drop,
            ("PUT", "index"): self._index,
            ("PUT", "points"): self._upsert,
            ("POST", "points"): self._retrieve,
            ("POST", "points/delete"): self._delete,
            ("POST", "points/query/batch"): self._query,
            ("POST", "points/count"): self._count,
            ("POST", "points/scroll"): self._scroll,
            ("POST", "facet"): self._facet,
        }
        ending = "/".join(path.split("/")[3:])
        try:
            return routes[method, ending]
        except KeyError:
            raise Refused(404, f"no route {method} {path}") from None

    def _known(self, name: str) -> QdrantClient:
        if not self._state.collection_exists(name):
            raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
        return self._state

    def _exists(self, name: str, _: Any) -> Any:
        return {"exists": self._state.collection_exists(name)}

    def _describe(self, name: str, _: Any) -> Any:
        described = self._known(name).get_collection(name)
        indexed = {key: models.PayloadIndexInfo(data_type=kind, points=0) for key, kind in self._indexes.items()}
        return described.model_copy(update={"payload_schema": indexed})

    def _update(self, name: str, body: Any) -> Any:
        return self._known(name).update_collection(name, metadata=models.UpdateCollection.model_validate(body).metadata)

    def _create(self, name: str, body: Any) -> Any:
        if self._state.collection_exists(name):
            raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
        asked = models.CreateCollection.model_validate(body)
        self._indexes.clear()
        return self._state.create_collection(
            name, vectors_config=asked.vectors, sparse_vectors_config=asked.sparse_vectors
        )

    def _drop(self, name: str, _: Any) -> Any:
        return self._state.delete_collection(name)

    def _index(self, name: str, body: Any) -> Any:
        self._known(name)
        asked = models.CreateFieldIndex.model_validate(body)
        self._indexes[asked.field_name] = models.PayloadSchemaType(asked.field_schema)
        return models.UpdateResult(operation_id=0, status=models.UpdateStatus.COMPLETED)

    def _upsert(self, name: str, body: Any) -> Any:
        return self._known(name).upsert(name, models.PointsList.model_validate(body).points)

    def _delete(self, name: str, body: Any) -> Any:
        return self._known(name).delete(name, models.FilterSelector.model_validate(body))

    def _retrieve(self, name: str, body: Any) -> Any:
        asked = models.PointRequest.model_validate(body)
        found = self._known(name).retrieve(name, asked.ids, asked.with_payload, asked.with_vector or False)
        return found[::-1]  # the published document promises no order

    def _query(self, name: str, body: Any) -> Any:
        searches = models.QueryRequestBatch.model_validate(body).searches
        return self._known(name).query_batch_points(name, [_exact(one) for one in searches])

    def _count(self, name: str, body: Any) -> Any:
        asked = models.CountRequest.model_validate(body)
        return self._known(name).count(name, count_filter=asked.filter, exact=bool(asked.exact))

    def _scroll(self, name: str, body: Any) -> Any:
        asked = models.ScrollRequest.model_validate(body)
        points, following = self._known(name).scroll(
            name, asked.filter, asked.limit or 10, None, asked.offset, asked.with_payload, asked.with_vector or False
        )
        return {"points": points, "next_page_offset": following}

    def _facet(self, name: str, body: Any) -> Any:
        asked = models.FacetRequest.model_validate(body)
        if asked.key not in self._indexes:
            raise Refused(400, f"Bad request: Index required but not found for {asked.key!r}")
        return self._known(name).facet(name, asked.key, asked.filter, asked.limit or 10, bool(asked.exact))


def _exact(search: models.QueryRequest) -> models.QueryRequest:
    """A search without how to search: local mode compares all, and warns of it; over what idf is taken stays."""
    params = models.SearchParams(idf=search.params.idf) if search.params and search.params.idf else None
    return search.model_copy(update={"params": params})


def failed(message: str) -> dict[str, Any]:
    return {"status": {"error": message}, "time": 0.0}


class _Http(ThreadingHTTPServer):
    """The listening socket and the connections that are open."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], owner: QdrantServer) -> None:
        super().__init__(address, _Handler)
        self.owner = owner
        self.open: set[socket] = set()
        if owner.certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(owner.certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)

    def cut(self) -> None:
        """Cut every open connection."""
        for connection in tuple(self.open):
            with suppress(OSError):
                connection.shutdown(SHUT_RDWR)

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
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "qdrant of the tests")])
    now = datetime.now(UTC)
    public = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(public, critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(public), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = folder / "qdrant.pem"
    file.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    return file
