"""Embedding by workers of a Ray cluster: several machines embed, one reads, cuts and writes.

Needs the extra `scale` (`pip install 'candor-rag[scale]'`). Actors and not a Ray dataset: a batch has to come back, in
order, to the one process that writes the index; a dataset is a job of its own, planned and started for each call.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final

from rag.errors import ConfigurationError, EmbedderUnavailable
from rag.protocols import Embedder, Matrix, Passage, PassageVectors, PieceCounter

STARTED_WITHIN_S: Final = 300.0
"""Seconds for which cores are waited for that others use, and for the model to be loaded on every worker."""


class RayEmbedder:
    """An `Embedder` whose passages are embedded by actors; questions and tokens stay in this process.

    Args:
        make: Makes the embedder that each worker runs; sent to the workers once.
        workers: How many there are; Ray spreads them over the cluster.
        address: The cluster's, as in `ray://head:10001`; None: this machine.
        cores: Cores that each worker takes.
        started_within_s: How long to wait, at the first passages, until all workers run.

    Raises:
        ConfigurationError: Ray is not installed, or the cluster has fewer cores than the workers take.
        EmbedderUnavailable: The cluster cannot be reached.
    """

    def __init__(
        self,
        make: Callable[[], Embedder],
        *,
        workers: int,
        address: str | None = None,
        cores: float = 1.0,
        started_within_s: float = STARTED_WITHIN_S,
    ) -> None:
        try:
            import ray
        except ImportError as error:
            raise ConfigurationError(
                f"CANDOR_EMBEDDING_WORKERS={workers} needs Ray, which is not installed. "
                f"Install the extra: pip install 'candor-rag[scale]'."
            ) from error
        self._ray: Any = ray  # half of its functions have no types
        self._make, self._workers, self._cores = make, workers, cores
        self._address, self._started_within_s = address or "this machine", started_within_s
        self._started_here = not ray.is_initialized()
        if self._started_here:
            try:
                ray.init(address=address, log_to_driver=False, include_dashboard=False if address is None else None)
            except (ConnectionError, RuntimeError, OSError, ValueError) as error:
                raise EmbedderUnavailable(
                    f"The Ray cluster at {self._address!r} cannot be used: {error}. "
                    f"Check CANDOR_RAY_ADDRESS, or set CANDOR_EMBEDDING_WORKERS=0."
                ) from error
        self._require_cores()

    def _require_cores(self) -> None:
        """Refuse more workers than can ever run at once: those that find no core are waited for without end."""
        cores = self._ray.cluster_resources().get("CPU", 0.0)
        if self._workers * self._cores > cores:
            self.close()
            raise ConfigurationError(
                f"CANDOR_EMBEDDING_WORKERS={self._workers} takes {self._workers * self._cores:g} cores, and the Ray "
                f"cluster at {self._address!r} has {cores:g}. Set CANDOR_EMBEDDING_WORKERS to at most "
                f"{int(cores / self._cores)}, or add machines to the cluster."
            )

    @cached_property
    def _local(self) -> Embedder:
        return self._make()

    @cached_property
    def _actors(self) -> list[Any]:
        actor = self._ray.remote(num_cpus=self._cores, max_restarts=2, max_task_retries=2)(_Worker)
        actors = [actor.remote(self._make) for _ in range(self._workers)]
        asked = [each.is_ready.remote() for each in actors]
        _, waiting = self._ray.wait(asked, num_returns=len(asked), timeout=self._started_within_s)
        if waiting:
            free = self._ray.available_resources().get("CPU", 0.0)
            self._end(actors)
            raise EmbedderUnavailable(
                f"{len(waiting)} of {self._workers} embedding workers did not start within "
                f"{self._started_within_s:g} s. Cores that each takes: {self._cores:g}; free in the Ray cluster at "
                f"{self._address!r} besides: {free:g}. Wait until others have finished there, or lower "
                f"CANDOR_EMBEDDING_WORKERS."
            )
        return actors

    def _end(self, actors: Sequence[Any]) -> None:
        for actor in actors:
            self._ray.kill(actor)

    @property
    def fingerprint(self) -> str:
        """That of the embedder which each worker runs."""
        return self._local.fingerprint

    @property
    def backend(self) -> str:
        """What runs the model, and on how many workers."""
        return f"{self._local.backend}, {self._workers} Ray workers"

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._local.dimension

    @property
    def max_pieces(self) -> int:
        """The most word pieces the model reads, special pieces included."""
        return self._local.max_pieces

    @property
    def pieces(self) -> PieceCounter:
        """The model's tokenizer."""
        return self._local.pieces

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a unit vector for each text, embedded here: a question is sooner embedded than sent."""
        return self._local.embed(texts)

    def embed_passages(self, passages: Sequence[Passage]) -> list[PassageVectors]:
        """Return vectors for passages and their sentences, in the order given.

        Raises:
            EmbedderUnavailable: The workers did not start in time, or failed, restarts included.
        """
        parts = [list(passages[start :: self._workers]) for start in range(self._workers)]
        asked = [actor.embed_passages.remote(part) for actor, part in zip(self._actors, parts, strict=True) if part]
        try:
            answers = self._ray.get(asked)
        except self._ray.exceptions.RayError as error:
            raise EmbedderUnavailable(
                f"The embedding workers failed: {str(error).strip().splitlines()[-1]}. "
                f"Check the Ray cluster, or set CANDOR_EMBEDDING_WORKERS=0."
            ) from error
        found: list[PassageVectors | None] = [None] * len(passages)
        for start, answer in enumerate(answers):
            found[start :: self._workers] = answer
        return [vectors for vectors in found if vectors is not None]

    def close(self) -> None:
        """End the workers, and Ray itself where it was started here."""
        self._end(self.__dict__.pop("_actors", []))
        if self._started_here and self._ray.is_initialized():
            self._ray.shutdown()


class _Worker:
    """What runs on a worker: one embedder, made there."""

    def __init__(self, make: Callable[[], Embedder]) -> None:
        self._embedder = make()

    def is_ready(self) -> bool:
        return True

    def embed_passages(self, passages: Sequence[Passage]) -> list[PassageVectors]:
        return self._embedder.embed_passages(passages)
