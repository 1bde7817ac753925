"""How often a client has come: so many requests within any minute, counted in this process."""

from collections import OrderedDict, deque
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from time import monotonic
from typing import Final

WINDOW_S: Final = 60.0
MOST_CLIENTS: Final = 50_000  # clients that are remembered at once; of more, those that came longest ago are forgotten
NETWORK: Final = 64  # bits of an IPv6 address that name a network: whoever has one has all of its addresses
_NAT64: Final = IPv6Network("64:ff9b::/96")


class Counting:
    """Lets each client in `most` times within any minute; for one event loop.

    Who has not come for a minute is forgotten with the next request: memory and time go by the last minute alone.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._came: OrderedDict[str, deque[float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._came)

    def hit(self, client: str) -> float:
        """Count a request and return 0; or return the seconds after which this client is let in again."""
        now = monotonic()
        gone = now - WINDOW_S
        while self._came and next(iter(self._came.values()))[-1] <= gone:
            self._came.popitem(last=False)
        came = self._came.setdefault(client, deque())
        while came and came[0] <= gone:
            came.popleft()
        if len(came) >= self._most:
            return min(came[0] - gone, WINDOW_S)
        came.append(now)
        self._came.move_to_end(client)  # so that the first is who came longest ago
        if len(self._came) > MOST_CLIENTS:
            self._came.popitem(last=False)
        return 0.0


def client_at(address: str) -> str:
    """Return what an address counts as: itself, or of IPv6 its network, where one client has 2^64 addresses.

    Within a link each address is another's; behind NAT64 (RFC 6052) the last 32 bits are an address of IPv4.

    >>> client_at("192.0.2.7"), client_at("::ffff:192.0.2.7"), client_at("2001:db8:1:2:3::4")
    ('192.0.2.7', '192.0.2.7', '2001:db8:1:2::/64')
    >>> client_at("fe80::1%eth0"), client_at("64:ff9b::c000:207"), client_at("a-name")
    ('fe80::1', '192.0.2.7', 'a-name')
    """
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return address
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    if found.is_link_local:
        return address.partition("%")[0]
    if found in _NAT64:
        return str(IPv4Address(int(found) & 0xFFFFFFFF))
    return str(IPv6Network((int(found), NETWORK), strict=False))
