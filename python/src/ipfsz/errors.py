"""What goes wrong, by name. All are `IpfszError`, and so `OSError`.

`PathNotFoundError` is a `FileNotFoundError`, and means that a verified directory has no such entry. So is
`InvalidCidError`, of a path that does not begin with a CID. Nothing else is: for libraries such as Zarr it means "no
such chunk", and they would fill in zeros for what cannot be fetched.
"""

from __future__ import annotations


class IpfszError(OSError):
    """The base class. Further keyword arguments become attributes, and survive pickling."""

    def __init__(self, message: str = "", **fields: object) -> None:
        super().__init__(message)
        self.__dict__.update(fields)


class InvalidCidError(IpfszError, FileNotFoundError):
    """A string or bytes that are not a CID. A path with one leads nowhere, whatever is fetched."""


class UnknownHashError(IpfszError):
    """A CID with a hash function that this package does not compute."""


class DigestLengthError(IpfszError):
    """A CID whose digest is too short to be safe."""


class CorruptBlockError(IpfszError):
    """A block whose bytes do not match its CID."""


class NotUnixFSError(IpfszError):
    """A block that is not UnixFS, or not dag-pb where it must be."""


class InvalidDagError(IpfszError):
    """A block that contradicts its parent or itself."""


class InvalidHeaderError(IpfszError):
    """A header that breaks a rule of docs/format.md: `rule` names it, as in section 7."""

    rule: str


class InvalidTrailerError(IpfszError):
    """A table of frames that breaks a rule, or contradicts the header."""


class CorruptFrameError(IpfszError):
    """A frame that is not exactly one frame of its codec with the bytes that it must hold."""


class WrongBaseError(CorruptFrameError):
    """A frame that cannot be decompressed with the region of the base that it names."""


class UnreadableBaseError(IpfszError):
    """A base that cannot be one: it has a base itself, is not a file, or ends before a region."""


class MissingHeaderError(IpfszError):
    """A CID that is marked as a file, and is a directory."""


class BaseTooCostlyError(IpfszError):
    """A file whose frames need far more bytes of its base than they hold."""


class WindowTooLargeError(IpfszError):
    """A zstd stream of another tool that needs a window of more than 8 MiB."""


class StreamTooLargeError(IpfszError):
    """A stream of another tool that decompresses to more than `max_stream` bytes."""


class ReadTooLargeError(IpfszError):
    """One call that would return more than 16 GiB: read an open file in pieces, or `get` it."""


class DirectoryTooLargeError(IpfszError):
    """A directory to list that has more than two million entries. Paths below it can be read."""


class UnsupportedError(IpfszError):
    """Something valid that this package does not read."""


class MissingPackageError(IpfszError):
    """A package that decompresses this codec, or computes this hash, is not installed: `package` names it."""

    package: str


class PathNotFoundError(IpfszError, FileNotFoundError):
    """A directory, whose blocks were verified, has no such entry."""


class NotAFileError(IpfszError, IsADirectoryError):
    """A directory where a file was asked for."""


class NotADirectoryEntryError(IpfszError, NotADirectoryError):
    """A path that goes on below a file."""


class GatewaysFailedError(IpfszError):
    """No gateway sent a block. The message lists the failure of each, and so does `failures`."""

    failures: list[str]


class NameNotResolvedError(IpfszError):
    """No gateway resolved an IPNS name or a DNSLink, or its record does not verify."""


class ReadOnlyError(IpfszError, PermissionError):
    """An attempt to write: only `ipfsz` adds files."""
