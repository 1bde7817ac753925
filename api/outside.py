"""The API's own answer where an application that mounts it would refuse a request by itself."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.frame import PREFIX, own_path

BAD_REQUEST = 400


class InOwnShape:
    """Hands a request of the API to the API that was refused before it came there, as Streamlit refuses odd paths.

    The API answers such a path itself, with its own error, headers and line in the log, as it does where it is served
    alone. An answer that names its request is the API's already, and passes. So does a refusal by whoever has read some
    of the body, because the API would get the rest only.

    Args:
        app: What mounts the API, or surrounds what does.
        api: The API.
    """

    def __init__(self, app: ASGIApp, api: ASGIApp) -> None:
        self.app, self._api = app, api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http" or not own_path(scope).startswith(f"{PREFIX}/"):
            await self.app(scope, receive, send)
            return
        is_refused = has_read = False

        async def receive_noted() -> Message:
            nonlocal has_read
            has_read = True
            return await receive()

        async def send_but_refusals(message: Message) -> None:
            nonlocal is_refused
            if message["type"] == "http.response.start" and message["status"] == BAD_REQUEST:
                is_refused = not has_read and "x-request-id" not in Headers(raw=message["headers"])
            if not is_refused:
                await send(message)

        await self.app(scope, receive_noted, send_but_refusals)
        if is_refused:
            await self._api(scope, receive, send)
