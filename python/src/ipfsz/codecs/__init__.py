"""Frames of each codec, decompressed: docs/format.md, sections 4 and 7 ("On reading frames").

Each module has `decode(frame, size)`: exactly `size` bytes, or CorruptFrameError. It never makes many more than that.
Packages are imported when they are needed.
"""

from __future__ import annotations

from ..cid import BROTLI, CODEC_NAMES, GZIP, LZ4, LZO, SNAPPY, ZSTD
from ..errors import CorruptFrameError, IpfszError, MissingPackageError, WrongBaseError
from ..filters import undo_filters
from ..seal import unseal
from . import brotli, gzip, lz4, lzo, snappy, zstd

_DECODERS = {
    GZIP: gzip.decode,
    LZ4: lz4.decode,
    LZO: lzo.decode,
    SNAPPY: snappy.decode,
    BROTLI: brotli.decode,
}

#: What to install for a codec.
PACKAGES = {LZ4: "lz4", SNAPPY: "cramjam", BROTLI: "brotli", ZSTD: "backports.zstd"}


def decode_frame(
    codec: int, frame: bytes, size: int, filters: list[int] | None = None, dictionary: bytes | None = None
) -> bytes:
    """The `size` original bytes of a frame.

    Raises CorruptFrameError, WrongBaseError if the frame has a dictionary, and MissingPackageError.
    """
    try:
        if filters:
            frame = unseal(codec, frame)
        data = _DECODERS[codec](frame, size) if codec in _DECODERS else zstd.decode(frame, size, dictionary)
        if len(data) != size:
            raise CorruptFrameError(f"it decompresses to {len(data)} bytes instead of {size}")
    except MissingPackageError:
        raise
    except ImportError as err:
        package = PACKAGES[codec]
        raise MissingPackageError(
            f"This file is compressed with {CODEC_NAMES[codec]}: pip install {package}", package=package
        ) from err
    except IpfszError as err:
        if dictionary is not None:
            raise WrongBaseError(f"A frame does not match the base of the file: {err}") from err
        raise CorruptFrameError(f"A frame of {len(frame)} bytes ({CODEC_NAMES[codec]}): {err}") from err
    return undo_filters(data, filters) if filters else data
