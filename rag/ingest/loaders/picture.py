"""Pictures of pages: PNG, JPEG, WebP, and TIFF with a page in each frame, read by OCR."""

import io
import warnings
from collections.abc import Iterator

from PIL import Image, ImageOps, ImageSequence

from rag.errors import ConfigurationError
from rag.ingest.loaders.blocks import build, only_title
from rag.ingest.loaders.identifiers import identify
from rag.ingest.loaders.ocr import OcrLine, read_note, read_picture
from rag.ingest.loaders.ocr_layout import blocks_of
from rag.ingest.loaders.source import Source, refuse
from rag.ingest.loaders.telling import page_begun
from rag.models import Document, DocumentMetadata

_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP")
_MOST_PIXELS, _LONGEST = 120_000_000, 4_000
"""Larger pictures are refused (A3 at 600 dpi has 70 million pixels); those with a longer side are made smaller."""


def load_picture(source: Source) -> Document:
    """Return a picture as a document; each frame of a TIFF is a page.

    Raises:
        InvalidDocument: It shows no text, is far too large, or what reads pictures is not installed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the size is looked at here
        picture = Image.open(io.BytesIO(source.data), formats=_FORMATS)
    pages = dict(enumerate(_read_frames(source, picture), 1))
    if not any(pages.values()):
        raise refuse(source.name, "no text can be seen on it", "Leave it out, or scan it again at 200 dpi")
    blocks = [block for number, lines in pages.items() for block in blocks_of(lines, number)]
    title, start = only_title(blocks), "\n".join(block.text for block in blocks if block.page == 1)[:3000]
    metadata = DocumentMetadata(title=title, identifiers=identify(source.name, title, start))
    notes = [read_note({number: lines for number, lines in pages.items() if lines}), *_empty_note(pages)]
    document = build(source, blocks, metadata=metadata, page_count=len(pages), notes=notes)
    return document.model_copy(update={"media_type": picture.get_format_mimetype() or document.media_type})


def _read_frames(source: Source, picture: Image.Image) -> Iterator[list[OcrLine]]:
    count = getattr(picture, "n_frames", 1)
    for number, frame in enumerate(ImageSequence.Iterator(picture), 1):
        page_begun(number, count)
        if frame.width * frame.height > _MOST_PIXELS:
            reason = f"it is too large ({frame.width} x {frame.height} pixels)"
            raise refuse(source.name, reason, "Save it smaller; 200 dpi is plenty")
        upright = ImageOps.exif_transpose(frame)
        upright.thumbnail((_LONGEST, _LONGEST))
        try:
            yield read_picture(upright)
        except ConfigurationError as error:
            raise refuse(source.name, "what reads pictures is not installed", "Install candor-rag[ocr]") from error


def _empty_note(pages: dict[int, list[OcrLine]]) -> Iterator[str]:
    if empty := [str(number) for number, lines in pages.items() if not lines]:
        yield f"No text could be seen on {'page' if len(empty) == 1 else 'pages'} {', '.join(empty)}."
