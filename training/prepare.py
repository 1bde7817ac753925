"""Make the examples that the reader is trained on; what was made before is kept.

    python -m training.prepare --work DIR --everyday FOLDER --public FILE

`--everyday` holds a folder for each field, each with `documents/` and `questions.jsonl`; `--public` is one file of
public question answering sets (`training/README.md` says which). Our own corpora are in `training/corpora`.
"""

import argparse
import logging
from functools import partial
from pathlib import Path

from rag.adapters.embedders import made_embedder, packaged_encoder
from training.examples import folder_examples, kept, log, public_examples

OWN = Path(__file__).parent / "corpora"


def main() -> None:
    """Write `examples/*.pickle` below the working folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--everyday", type=Path, required=True)
    parser.add_argument("--public", type=Path, required=True)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    examples = options.work / "examples"
    embedder = made_embedder(None, "auto", partial(packaged_encoder, precision="auto", threads=None, cache=None))
    for kind, home in (("everyday", options.everyday), ("own", OWN)):
        for folder in sorted(path for path in home.iterdir() if path.is_dir()):
            make = partial(folder_examples, folder, embedder, source=f"{kind}/{folder.name}")
            found = kept(examples / f"{kind}_{folder.name}.pickle", make)
            log.info("%s %s: %d examples", kind, folder.name, len(found))
    found = kept(examples / "public.pickle", lambda: list(public_examples(options.public)))
    log.info("public: %d examples", len(found))


if __name__ == "__main__":
    main()
