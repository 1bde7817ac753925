"""Where the command line begins: an interrupt is one line, also while the rest, which takes a moment, is imported."""

import sys

INTERRUPTED = 130  # exit code of a command that was interrupted, as shells know it


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; an expected error is one clear line and its exit code, never a traceback."""
    try:
        from rag.commands.line import run

        run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted; what was done is kept.\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
