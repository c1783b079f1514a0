"""Paths to files and directories. One reader belongs to one event loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .ahead import Ahead
from .blocks import Blocks
from .cid import CID, CODEC_NAMES, RAW, TREE
from .directories import find_entry, is_directory, list_directory
from .errors import (
    InvalidDagError,
    InvalidHeaderError,
    MissingHeaderError,
    NotADirectoryEntryError,
    NotAFileError,
    PathNotFoundError,
    UnsupportedError,
)
from .files import File, FrameCache, PlainFile, open_compressed
from .header import Header, read_header
from .names import Names
from .streams import StreamFile
from .tasks import Lru
from .unixfs import FILE_TYPES, SYMLINK, Link, Node


@dataclass(frozen=True)
class Entry:
    """What a path leads to. `marker`: of the CID, or TREE below a tree. None: what is stored is what is read."""

    cid: CID
    node: Node
    marker: int | None

    @property
    def is_directory(self) -> bool:
        return is_directory(self.node)

    @property
    def is_compressed(self) -> bool:
        return self.marker is not None and bool(self.node.headers)

    def header(self) -> Header:
        """Of a compressed file, checked. Raises InvalidHeaderError."""
        return read_header(self.node, None if self.marker == TREE else self.marker)

    def original_size(self) -> int | None:
        """Of a file. None of a stream that another tool made, which has to be read for it."""
        if self.is_compressed:
            return self.header().size
        return None if self.marker not in (None, TREE) else self.node.size

    def describe(self, path: str) -> dict[str, Any]:
        """What `info` and `ls` say: `size` is that of the original, `stored` that of the bytes that are stored."""
        node = self.node
        info: dict[str, Any] = {"name": path, "cid": str(self.cid), "mode": node.mode, "mtime": node.mtime}
        if self.is_directory:
            return {**info, "type": "directory", "size": 0}
        if node.type == SYMLINK:
            return {
                **info,
                "type": "link",
                "size": 0,
                "destination": node.data.decode("utf-8", "surrogateescape"),
            }
        info |= {"type": "file", "size": self.original_size(), "stored": node.size}
        if self.is_compressed:
            info["codec"] = CODEC_NAMES[self.header().codec]
        return info


class Reader:
    def __init__(self, blocks: Blocks, names: Names, ahead: Ahead, max_stream: int) -> None:
        self._ahead = ahead
        self.blocks, self.names, self._max_stream = blocks, names, max_stream
        self._frames = FrameCache()
        self._files: Lru[tuple[CID, int | None], File] = Lru(64)

    async def resolve(self, path: str) -> Entry:
        """`CID/path` or `ipns/NAME/path`. Raises PathNotFoundError if a verified directory has no such entry."""
        root, segments = await self.names.resolve(path)
        entry = await self._entry(root, root.codec if root.marked else None)
        if root.codec == TREE and not entry.is_directory:
            raise InvalidDagError(f"{root} is marked as a directory, and is a file")
        if root.marked and root.codec != TREE and entry.is_directory:
            if entry.is_compressed:
                entry.header()
            raise MissingHeaderError(f"{root} is marked as a file, and is a directory")

        # the directory, or the shard of it, that holds the next entry, and the bytes in it
        holder, size = entry.cid, 0

        async def before(link: Link) -> None:
            nonlocal holder, size
            holder, size = link.cid, link.tsize
            await self._ahead.below(root, holder, size, holder)

        for index, segment in enumerate(segments):
            if not entry.is_directory:
                raise NotADirectoryEntryError(f"{path} goes on below a file")
            holder, size = entry.cid, entry.node.links_size
            link = await find_entry(self.blocks, entry.node, segment, before)
            if link is None:
                raise PathNotFoundError(f"{path}: there is no {segment!r}")
            if index < len(segments) - 1:
                await before(link)
            else:
                await self._ahead.below(root, holder, size, link.cid)
                self._ahead.reads(root, link)
            entry = await self.child(entry, link.cid)
        return entry

    async def child(self, parent: Entry, cid: CID) -> Entry:
        return await self._entry(cid, parent.marker)

    async def _entry(self, cid: CID, marker: int | None) -> Entry:
        return Entry(cid, await self.blocks.node(cid), marker)

    async def list(self, entry: Entry) -> list[Link]:
        return [link async for link in list_directory(self.blocks, entry.node)]

    async def open(self, entry: Entry) -> File:
        """The file to read an entry with. Raises NotAFileError."""
        node = entry.node
        if node.type == SYMLINK:
            raise UnsupportedError(f"{entry.cid} is a symlink to {node.data.decode(errors='replace')!r}")
        if node.type not in FILE_TYPES:
            raise NotAFileError(f"{entry.cid} is a directory")
        key = (entry.cid, entry.marker)
        file = self._files.get(key)
        if file is None:
            file = await self._open(entry)
            self._files.put(key, file)
        return file

    async def _open(self, entry: Entry) -> File:
        marker = entry.marker
        if entry.is_compressed:
            return await open_compressed(self.blocks, self._frames, entry.cid, entry.node, entry.header())
        if marker is None or marker == TREE:
            return PlainFile(self.blocks, entry.node)
        if entry.cid.codec == RAW:
            raise InvalidHeaderError(f"{entry.cid} is raw, and cannot be marked", rule="codec")
        return await StreamFile.open(self.blocks, entry.node, marker, self._max_stream)
