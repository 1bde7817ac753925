"""Embedding by workers of a Ray cluster: several machines embed, one reads, cuts and writes.

Needs the extra `scale` (`pip install 'candor-rag[scale]'`). Actors and not a Ray dataset: a batch has to come back, in
order, to the one process that writes the index; a dataset is a job of its own, planned and started for each call.
"""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from rag.errors import ConfigurationError, EmbedderUnavailable
from rag.process.deferred import made_once
from rag.protocols import Embedder, Matrix

FEW: Final = 8  # fewer texts than this are embedded in this process: a question is sooner embedded than sent
STARTED_WITHIN_S: Final = 300.0
"""Seconds for which cores are waited for that others use, and for the model to be loaded on every worker."""


class RayEmbedder:
    """An `Embedder` that has many texts embedded by actors, of a core each; questions and tokens stay in this process.

    Nothing of Ray is started before the first many texts: whoever only asks does without.

    Args:
        make: Makes the embedder that each worker runs; sent to the workers once.
        local: The embedder of this process.
        address: The cluster's, as in `ray://head:10001`; None: this machine.

    Raises:
        ConfigurationError: Ray is not installed.
    """

    def __init__(
        self, make: Callable[[], Embedder], local: Embedder, *, workers: int, address: str | None = None
    ) -> None:
        if find_spec("ray") is None:
            raise ConfigurationError(
                f"CANDOR_EMBEDDING_WORKERS={workers} needs Ray, which is not installed. "
                f"Install the extra: pip install 'candor-rag[scale]'."
            )
        self._make, self._local = make, local
        self.dimension, self.max_pieces, self.pieces = local.dimension, local.max_pieces, local.pieces
        self._workers, self._started_here = workers, False
        self._named, self._address = address, address or "this machine"

    @made_once
    def _ray(self) -> Any:
        """Ray, started or joined."""
        import ray as untyped

        ray: Any = untyped  # half of its functions have no types

        self._started_here = not ray.is_initialized()
        if self._started_here:
            try:
                shown = None if self._named else False
                ray.init(address=self._named, log_to_driver=False, include_dashboard=shown)
            except (ConnectionError, RuntimeError, OSError, ValueError) as error:
                raise EmbedderUnavailable(
                    f"The Ray cluster at {self._address!r} cannot be used: {error}. "
                    f"Check CANDOR_RAY_ADDRESS, or set CANDOR_EMBEDDING_WORKERS=0."
                ) from error
        cores = ray.cluster_resources().get("CPU", 0.0)
        if self._workers > cores:  # workers that find no core would be waited for without end
            if self._started_here:
                ray.shutdown()
            raise ConfigurationError(
                f"CANDOR_EMBEDDING_WORKERS={self._workers} takes {self._workers} cores, and the Ray cluster at "
                f"{self._address!r} has {cores:g}. Set CANDOR_EMBEDDING_WORKERS to at most {int(cores)}, or add "
                "machines to the cluster."
            )
        return ray

    @made_once
    def _actors(self) -> list[Any]:
        actor = self._ray.remote(num_cpus=1, max_restarts=2, max_task_retries=2)(_Worker)
        actors = [actor.remote(self._make) for _ in range(self._workers)]
        asked = [each.__ray_ready__.remote() for each in actors]
        _, waiting = self._ray.wait(asked, num_returns=len(asked), timeout=STARTED_WITHIN_S)
        if waiting:
            free = self._ray.available_resources().get("CPU", 0.0)
            self._end(actors)
            raise EmbedderUnavailable(
                f"{len(waiting)} of {self._workers} embedding workers did not start within {STARTED_WITHIN_S:g} s. "
                f"Each needs 1 cores; the Ray cluster at {self._address!r} has {free:g} free. Wait "
                "until other jobs have finished, or lower CANDOR_EMBEDDING_WORKERS."
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

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a unit vector for each text, in the order given; fewer than `FEW` are embedded here.

        Raises:
            ConfigurationError: The cluster has fewer cores than the workers take.
            EmbedderUnavailable: The cluster cannot be reached; the workers did not start in time, or failed, restarts
                included.
        """
        if len(texts) < FEW:
            return self._local.embed(texts)
        parts = [list(texts[start :: self._workers]) for start in range(self._workers)]
        asked = [actor.embed.remote(part) for actor, part in zip(self._actors, parts, strict=True) if part]
        try:
            answers = self._ray.get(asked)
        except self._ray.exceptions.RayError as error:
            raise EmbedderUnavailable(
                f"The embedding workers failed: {str(error).strip().splitlines()[-1]}. "
                f"Check the Ray cluster, or set CANDOR_EMBEDDING_WORKERS=0."
            ) from error
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for start, answer in enumerate(answers):
            vectors[start :: self._workers] = answer
        return vectors

    def close(self) -> None:
        """End the workers, and Ray itself where it was started here."""
        ray = self.__dict__.get("_ray")
        if ray is None:
            return
        self._end(self.__dict__.pop("_actors", []))
        if self._started_here and ray.is_initialized():
            ray.shutdown()
        del self.__dict__["_ray"]


class _Worker:
    """What runs on a worker: one embedder, made there."""

    def __init__(self, make: Callable[[], Embedder]) -> None:
        self._embedder = make()

    def embed(self, texts: Sequence[str]) -> Matrix:
        return self._embedder.embed(texts)
