"""Reads files of IPFSz, and all others on IPFS, from HTTP gateways: verified, by ranges, through fsspec.

import fsspec
with fsspec.open("ipfsz://CID/data.csv", gateways=["http://127.0.0.1:8080"]) as file:
    print(file.read(100))
"""

from .cid import CID
from .errors import (
    BaseTooCostlyError,
    CorruptBlockError,
    CorruptFrameError,
    DigestLengthError,
    DirectoryTooLargeError,
    GatewaysFailedError,
    InvalidCidError,
    InvalidDagError,
    InvalidHeaderError,
    InvalidTrailerError,
    IpfszError,
    MissingHeaderError,
    MissingPackageError,
    NameNotResolvedError,
    NotADirectoryEntryError,
    NotAFileError,
    NotUnixFSError,
    PathNotFoundError,
    ReadOnlyError,
    ReadTooLargeError,
    StreamTooLargeError,
    UnknownHashError,
    UnreadableBaseError,
    UnsupportedError,
    WindowTooLargeError,
    WrongBaseError,
)
from .file_object import IpfszFile
from .fs import IpfszFileSystem

__version__ = "0.1.0"

__all__ = [
    "CID",
    "BaseTooCostlyError",
    "CorruptBlockError",
    "CorruptFrameError",
    "DigestLengthError",
    "DirectoryTooLargeError",
    "GatewaysFailedError",
    "InvalidCidError",
    "InvalidDagError",
    "InvalidHeaderError",
    "InvalidTrailerError",
    "IpfszError",
    "IpfszFile",
    "IpfszFileSystem",
    "MissingHeaderError",
    "MissingPackageError",
    "NameNotResolvedError",
    "NotADirectoryEntryError",
    "NotAFileError",
    "NotUnixFSError",
    "PathNotFoundError",
    "ReadOnlyError",
    "ReadTooLargeError",
    "StreamTooLargeError",
    "UnknownHashError",
    "UnreadableBaseError",
    "UnsupportedError",
    "WindowTooLargeError",
    "WrongBaseError",
]
