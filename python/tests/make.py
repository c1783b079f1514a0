"""Makes blocks of UnixFS, and compressed files of every kind that docs/format.md allows, or forbids."""

from __future__ import annotations

import gzip
import hashlib
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ipfsz.cid import CID, DAG_PB, GZIP, LZO, RAW, SNAPPY, ZSTD
from ipfsz.codecs.zstd import zstd_module
from ipfsz.varint import write_varint

GROUP = 4096
FRAME = 64 * 1024


def number(tag: int, value: int) -> bytes:
    return write_varint(tag << 3) + write_varint(value)


def data_field(tag: int, value: bytes) -> bytes:
    return write_varint(tag << 3 | 2) + write_varint(len(value)) + value


def packed(tag: int, values: Iterable[int]) -> bytes:
    return data_field(tag, b"".join(map(write_varint, values)))


@dataclass
class Store:
    blocks: dict[bytes, bytes] = field(default_factory=dict)

    def put(self, data: bytes, codec: int = DAG_PB) -> CID:
        cid = CID(1, codec, 0x12, hashlib.sha256(data).digest())
        self.blocks[cid.multihash] = data
        return cid

    def node(self, message: bytes, links: Sequence[tuple[str, CID, int]] = ()) -> CID:
        block = b"".join(
            data_field(2, data_field(1, bytes(cid)) + data_field(2, name.encode()) + number(3, size))
            for name, cid, size in links
        )
        return self.put(block + data_field(1, message))

    def file(
        self, data: bytes = b"", children: Sequence[tuple[CID, int]] = (), header: bytes | None = None, size: int = -1
    ) -> CID:
        """A node of a file: `children` with what each holds."""
        total = len(data) + sum(held for _, held in children) if size < 0 else size
        message = number(1, 2) + (data_field(2, data) if data else b"") + number(3, total)
        message += b"".join(number(4, held) for _, held in children)
        if header is not None:
            message += data_field(1445, header)
        return self.node(message, [("", cid, held) for cid, held in children])

    def directory(self, entries: dict[str, CID]) -> CID:
        # of files of one block
        return self.node(
            number(1, 1),
            [(name, cid, len(self.blocks.get(cid.multihash, b""))) for name, cid in sorted(entries.items())],
        )

    def leaves(self, data: bytes, size: int = 1 << 20) -> list[tuple[CID, int]]:
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        return [(self.put(piece, RAW), len(piece)) for piece in pieces]

    def car(self, path: Path, root: CID) -> Path:
        path.write_bytes(self.car_bytes(root))
        return path

    def car_bytes(self, root: CID) -> bytes:
        link = b"\x00" + bytes(root)
        header = b"\xa2\x65roots\x81\xd8\x2a\x58" + bytes([len(link)]) + link + b"\x67version\x01"
        out = write_varint(len(header)) + header
        for multihash, block in self.blocks.items():
            body = b"\1" + write_varint(DAG_PB) + multihash + block
            out += write_varint(len(body)) + body
        return out


def marked(cid: CID, codec: int = ZSTD) -> str:
    return str(CID(1, codec, cid.hash, cid.digest))


def zstd_frame(data: bytes, dictionary: bytes | None = None) -> bytes:
    zstd = zstd_module()
    options = {zstd.CompressionParameter.checksum_flag: 1, zstd.CompressionParameter.compression_level: 1}
    if dictionary is None:
        return bytes(zstd.compress(data, level=1))
    compressor = zstd.ZstdCompressor(options=options, zstd_dict=zstd.ZstdDict(dictionary, is_raw=True).as_prefix)
    compressor.set_pledged_input_size(len(data))
    return bytes(compressor.compress(data, compressor.FLUSH_FRAME))


def gzip_frame(data: bytes) -> bytes:
    return gzip.compress(data, 1, mtime=0)


def seek_table(rows: Sequence[tuple[int, int]]) -> bytes:
    body = b"".join(struct.pack("<II", *row) for row in rows) + struct.pack("<IBI", len(rows), 0, 0x8F92EAB1)
    return struct.pack("<II", 0x184D2A5E, len(body)) + body


def split_table(codec: int, rows: Sequence[tuple[int, int]]) -> bytes:
    out = b""
    for at in range(0, len(rows), GROUP):
        group = rows[at : at + GROUP]
        n, body = len(group), b"".join(struct.pack("<II", *row) for row in group)
        if codec == GZIP:
            out += bytes.fromhex("1f8b080400000000 00ff".replace(" ", "")) + struct.pack("<H", 8 * n + 4)
            out += b"IT" + struct.pack("<H", 8 * n) + body + b"\3\0" + bytes(8)
        elif codec == SNAPPY:
            out += b"\xa5" + struct.pack("<I", 8 * n)[:3] + body
        else:
            assert codec == LZO
            import zlib

            head = bytes.fromhex("894c5a4f000d0a1a0a104020a00940010503000040000081a4") + bytes(9)
            length = struct.pack(">I", 8 * n)
            out += head + struct.pack(">I", zlib.adler32(head[9:])) + length + body
            out += struct.pack(">I", zlib.adler32(length + body)) + bytes(4)
    return out


def region_table(rows: Sequence[tuple[int, int, int, int]]) -> bytes:
    body = b"".join(struct.pack("<IIQI", *row) for row in rows)
    return struct.pack("<II", 0x184D2A5E, len(body)) + body


def group_sums(rows: Sequence[tuple[int, ...]]) -> list[int]:
    out = []
    for at in range(0, len(rows), GROUP):
        group = rows[at : at + GROUP]
        out += [sum(row[0] for row in group), sum(row[1] for row in group)]
    return out


def header_of(
    codec: int = ZSTD,
    size: int = 0,
    frame_size: int = FRAME,
    lengths: Sequence[int] | None = None,
    version: int = 1,
    rest: bytes = b"",
) -> bytes:
    out = number(1, version) + number(2, codec) + number(3, size) + number(4, frame_size)
    return out + (b"" if lengths is None else packed(5, lengths)) + rest


def simple_file(store: Store, data: bytes, codec: int = ZSTD, frame_size: int = FRAME) -> CID:
    """Version 1, in zstd or gzip."""
    encode = zstd_frame if codec == ZSTD else gzip_frame
    frames = [encode(data[at : at + frame_size]) for at in range(0, len(data), frame_size)]
    header = header_of(codec, len(data), frame_size, [len(frame) for frame in frames])
    rows = [(len(f), min(frame_size, len(data) - i * frame_size)) for i, f in enumerate(frames)]
    stream = b"".join(frames) + (seek_table(rows) if codec == ZSTD and len(frames) > 1 else b"")
    return store.file(children=store.leaves(stream), header=header)
