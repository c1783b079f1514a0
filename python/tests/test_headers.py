"""Headers and tables, good ones and those that a reader must refuse, made by hand."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from conftest import wave, words
from ipfsz import (
    BaseTooCostlyError,
    CorruptFrameError,
    DigestLengthError,
    InvalidDagError,
    InvalidHeaderError,
    InvalidTrailerError,
    IpfszError,
    IpfszFileSystem,
    UnreadableBaseError,
    WrongBaseError,
)
from ipfsz.cid import CID, GZIP, LZO, SNAPPY, TREE, ZSTD
from make import (
    FRAME,
    GROUP,
    Store,
    group_sums,
    gzip_frame,
    header_of,
    marked,
    number,
    packed,
    region_table,
    seek_table,
    simple_file,
    split_table,
    zstd_frame,
)

DATA = words(3 * FRAME)
FRAMES = [zstd_frame(DATA[at : at + FRAME]) for at in range(0, len(DATA), FRAME)]
LENGTHS = [len(frame) for frame in FRAMES]


def read(store: Store, root: CID, tmp_path: Path, codec: int = ZSTD, **where: Any) -> bytes:
    car = store.car(tmp_path / "file.car", root)
    fs = IpfszFileSystem(cars=[car], gateways=[], cache=False, skip_instance_cache=True)
    data: bytes = fs.cat_file(marked(root, codec), **where)
    return data


def file_with(header: bytes, stream: bytes = b"".join(FRAMES)) -> tuple[Store, CID]:
    store = Store()
    return store, store.file(children=store.leaves(stream), header=header)


def test_reads_a_file_made_by_hand(tmp_path: Path) -> None:
    store = Store()
    root = simple_file(store, DATA)

    assert read(store, root, tmp_path) == DATA
    assert read(store, root, tmp_path, start=FRAME - 5, end=FRAME + 5) == DATA[FRAME - 5 : FRAME + 5]


@pytest.mark.parametrize(
    ("rule", "header"),
    [
        ("version", header_of(size=len(DATA), lengths=LENGTHS, version=3)),
        ("version", header_of(size=len(DATA), lengths=LENGTHS, version=0)),
        ("version", header_of(size=len(DATA), lengths=LENGTHS, version=2, rest=number(14, 1))),
        ("codec", header_of(GZIP, len(DATA), lengths=LENGTHS)),
        ("codec", header_of(TREE, len(DATA), lengths=LENGTHS)),
        ("dictionary", header_of(size=len(DATA), lengths=LENGTHS, rest=packed(7, [1]))),
        ("frame-size", header_of(size=len(DATA), frame_size=FRAME - 1, lengths=LENGTHS)),
        ("frame-size", header_of(size=len(DATA), frame_size=(16 << 20) + 1, lengths=LENGTHS)),
        (
            "frame-size",
            header_of(size=len(DATA), lengths=LENGTHS, version=2, rest=packed(8, [FRAME - 1, FRAME, FRAME])),
        ),
        ("frame-size", header_of(size=len(DATA) + 1, lengths=LENGTHS, version=2, rest=packed(8, [FRAME] * 3))),
        ("frame-count", header_of(size=len(DATA) + 1, lengths=LENGTHS)),
        ("frame-count", header_of(size=1 << 50, lengths=LENGTHS)),
        ("frame-length", header_of(size=len(DATA), lengths=[LENGTHS[0], 0, LENGTHS[2]])),
        ("frame-length", header_of(size=len(DATA), lengths=[LENGTHS[0], 1 << 30, LENGTHS[2]])),
        ("total-length", header_of(size=len(DATA), lengths=[LENGTHS[0], LENGTHS[1], LENGTHS[2] + 1])),
        ("filters", header_of(size=len(DATA), lengths=LENGTHS, version=2, rest=packed(11, []))),
        ("filters", header_of(size=len(DATA), lengths=LENGTHS, version=2, rest=packed(11, [0x202, 0x202]))),
        ("filters", header_of(size=len(DATA), lengths=LENGTHS, version=2, rest=packed(11, [0x105]))),
        ("filters", header_of(size=len(DATA), lengths=LENGTHS, version=2, rest=packed(9, [0x202]))),
        ("base", header_of(GZIP, len(DATA), lengths=LENGTHS, version=2, rest=packed(10, [0, 8] * 3))),
        ("groups", header_of(size=len(DATA), lengths=LENGTHS, version=2, rest=packed(12, [9, 9]))),
        ("groups", header_of(size=len(DATA), version=2, rest=packed(12, [sum(LENGTHS), len(DATA)]))),
        ("encoding", header_of(size=len(DATA), lengths=LENGTHS) + b"\x80"),
        ("encoding", header_of(size=len(DATA), lengths=LENGTHS, rest=number(3, 1))),
        ("encoding", header_of(size=len(DATA), rest=number(5, LENGTHS[0]))),
        ("encoding", header_of(size=1 << 54, lengths=LENGTHS)),
        ("encoding", header_of(size=len(DATA), lengths=LENGTHS, rest=packed(6, [1]))),
        ("encoding", header_of(size=len(DATA), lengths=LENGTHS, version=2, rest=packed(11, [0x202]) * 2)),
        ("groups", header_of(size=len(DATA), lengths=[], version=2, rest=packed(12, [sum(LENGTHS), len(DATA)]))),
        ("encoding", b"\xff" * 50),
    ],
)
def test_refuses_a_header_by_its_rule(tmp_path: Path, rule: str, header: bytes) -> None:
    store, root = file_with(header)

    with pytest.raises(InvalidHeaderError) as caught:
        read(store, root, tmp_path, GZIP if rule == "base" else ZSTD)
    assert caught.value.rule == rule


def test_skips_fields_of_the_future(tmp_path: Path) -> None:
    for header in (
        header_of(size=len(DATA), lengths=LENGTHS, rest=number(8, 1) + number(8, 1) + packed(14, [1])),
        header_of(size=len(DATA), lengths=LENGTHS, version=2, rest=number(32, 1)),
    ):
        assert read(*file_with(header), tmp_path) == DATA


def test_refuses_a_root_with_data_and_links(tmp_path: Path) -> None:
    store = Store()
    header = header_of(size=len(DATA), lengths=LENGTHS)
    root = store.file(b"data", store.leaves(b"".join(FRAMES)), header)

    with pytest.raises(InvalidHeaderError) as caught:
        read(store, root, tmp_path)
    assert caught.value.rule == "root"


@pytest.mark.parametrize("damage", ["cut", "longer", "other size", "bomb", "window"])
def test_refuses_a_frame_that_is_not_exactly_one(tmp_path: Path, damage: str) -> None:
    frame = {
        "cut": FRAMES[1][:-1],
        "longer": FRAMES[1] + b"\0",
        "other size": zstd_frame(DATA[:70_000]),
        # says 64 KiB, and holds more
        "bomb": FRAMES[0][:4] + b"\x60\x00\xff" + zstd_frame(bytes(200_000))[9:],
        "window": FRAMES[0][:4] + b"\x40\xff\x00\xff" + FRAMES[0][7:],
    }[damage]
    store, root = file_with(
        header_of(size=len(DATA), lengths=[LENGTHS[0], len(frame), LENGTHS[2]]), FRAMES[0] + frame + FRAMES[2]
    )

    with pytest.raises(CorruptFrameError):
        read(store, root, tmp_path)
    assert read(store, root, tmp_path, end=FRAME) == DATA[:FRAME]


def test_refuses_children_that_hold_less_than_their_parent_says(tmp_path: Path) -> None:
    store = Store()
    (leaf, size), *_ = store.leaves(DATA)
    root = store.file(children=[(leaf, size + 1)])
    car = store.car(tmp_path / "file.car", root)

    with pytest.raises(InvalidDagError):
        IpfszFileSystem(cars=[car], gateways=[], cache=False).cat_file(str(root))


def test_refuses_a_dag_that_is_deeper_than_files_are(tmp_path: Path) -> None:
    store = Store()
    node = (store.file(b"x"), 1)
    for _ in range(100):
        node = (store.file(children=[node]), 1)
    car = store.car(tmp_path / "file.car", node[0])

    with pytest.raises(InvalidDagError):
        IpfszFileSystem(cars=[car], gateways=[], cache=False).cat_file(str(node[0]))


# bases


def based_file(data: bytes, base: bytes, regions: list[int], *, dictionary: bytes | None = None) -> tuple[Store, CID]:
    """One frame of `data`, with the region that `regions` says."""
    store = Store()
    region = base[regions[0] : regions[0] + regions[1]] if dictionary is None else dictionary
    frame = zstd_frame(data, region)
    base_cid = store.file(children=store.leaves(base))
    stream = store.leaves(frame + (0x184D2A5E).to_bytes(4, "little") + len(base).to_bytes(4, "little"))
    header = header_of(size=len(data), frame_size=max(FRAME, len(data)), lengths=[len(frame)], version=2,
                       rest=packed(10, regions))  # fmt: skip
    return store, store.file(children=[*stream, (base_cid, len(base))], header=header)


BASE = words(200_000, 7)


def test_reads_a_file_with_a_base(tmp_path: Path) -> None:
    data = BASE[50_000:90_000] + b"new" + BASE[:10_000]

    assert read(*based_file(data, BASE, [0, 100_000]), tmp_path) == data


@pytest.mark.parametrize(
    ("error", "regions"),
    [
        (InvalidHeaderError, [0, 7]),
        (InvalidHeaderError, [5, 0]),
        (InvalidHeaderError, [0, 8, 0, 8]),
        (InvalidHeaderError, [0]),
        (UnreadableBaseError, [190_000, 10_001]),
        (InvalidHeaderError, [0, (16 << 20) + 1]),
        (WrongBaseError, [1, 99_999]),
    ],
)
def test_refuses_regions_that_break_a_rule(tmp_path: Path, error: type[IpfszError], regions: list[int]) -> None:
    with pytest.raises(error):
        read(*based_file(BASE[:70_000], BASE, regions, dictionary=BASE[:100_000]), tmp_path)


def test_refuses_a_region_that_begins_like_a_trained_dictionary(tmp_path: Path) -> None:
    base = bytes.fromhex("37a430ec") + BASE

    with pytest.raises(WrongBaseError):
        read(*based_file(BASE[:70_000], base, [0, 100_000]), tmp_path)


def test_refuses_frames_that_need_far_more_of_the_base_than_they_hold(tmp_path: Path) -> None:
    store = Store()
    frames = 100
    small = bytes(FRAME)
    base_size = 201 << 20
    zeros = store.leaves(bytes(1 << 20))[0]
    base = store.file(children=[zeros] * 201)
    frame = zstd_frame(small, bytes(16))
    regions = [value for index in range(frames) for value in ((2 * index << 20) + (1 << 20) - 8, 16)]
    stream = frame * frames + (0x184D2A5E).to_bytes(4, "little") + base_size.to_bytes(4, "little")
    header = header_of(size=FRAME * frames, lengths=[len(frame)] * frames, version=2, rest=packed(10, regions))
    root = store.file(children=[*store.leaves(stream), (base, base_size)], header=header)

    assert read(store, root, tmp_path, start=20 * FRAME, end=30 * FRAME) == small * 10
    with pytest.raises(BaseTooCostlyError):
        read(store, root, tmp_path)


# groups: files with more frames than a header lists


def grouped_file(codec: int, count: int, **change: Any) -> tuple[Store, CID, int]:
    """`count` frames of zeros, of which the last is short, and the size of the file."""
    rng = random.Random(4)
    store = Store()
    sizes = [rng.choice((FRAME, FRAME + 1000)) for _ in range(count - 1)] + [77]
    encode = {ZSTD: zstd_frame, GZIP: gzip_frame, SNAPPY: snappy_frame, LZO: lzo_frame}[codec]
    encoded = {size: encode(bytes(size)) for size in set(sizes)}
    rows = [(len(encoded[size]), size) for size in sizes]
    groups = change.get("groups", group_sums(rows))
    rows = change.get("rows", rows)
    table = split_table(codec, rows) if codec in (GZIP, SNAPPY, LZO) else seek_table(rows)
    stream = b"".join(encoded[size] for size in sizes) + table + change.get("after", b"")
    header = header_of(codec, sum(sizes), FRAME + 1000, version=2, rest=packed(12, groups))
    return store, store.file(children=store.leaves(stream), header=header), sum(sizes)


def snappy_frame(data: bytes) -> bytes:
    import cramjam

    return bytes(cramjam.snappy.compress(data))


def lzo_frame(data: bytes) -> bytes:
    """A member whose block is stored as it is, but for zeros, which are one long match."""
    import struct
    import zlib

    head = bytes.fromhex("104020a00940010503000000000081a4") + bytes(9)
    assert data == bytes(len(data))
    # 4 literals, then a match of distance 1
    length = len(data) - 4 - 33
    body = b"\x15" + bytes(4) + b"\x20" + bytes(length // 255) + bytes([length % 255]) + b"\0\0" + b"\x11\0\0"
    if length % 255 == 0:
        body = b"\x15" + bytes(4) + b"\x20" + bytes(length // 255 - 1) + b"\xff\0\0\x11\0\0"
    member = b"\x89LZO\0\r\n\x1a\n" + head + struct.pack(">I", zlib.adler32(head))
    return member + struct.pack(">II", len(data), len(body)) + body + bytes(4)


@pytest.mark.parametrize("codec", [ZSTD, GZIP, SNAPPY, LZO])
@pytest.mark.parametrize("count", [2, GROUP, GROUP + 1, 2 * GROUP + 3])
def test_reads_a_file_with_groups(tmp_path: Path, codec: int, count: int) -> None:
    store, root, size = grouped_file(codec, count)

    assert read(store, root, tmp_path, codec, start=size - 200_000) == bytes(200_000 if size > 200_000 else size)
    assert read(store, root, tmp_path, codec, start=size // 2, end=size // 2 + 10) == bytes(10)


@pytest.mark.parametrize(
    ("error", "change"),
    [
        (InvalidHeaderError, {"after": b"\0"}),
        (InvalidHeaderError, {"after": bytes(8)}),
        (InvalidHeaderError, {"groups": [1000, 1000]}),
        (InvalidTrailerError, {"rows": [(25, FRAME)] * 99 + [(1, 77)]}),
        (InvalidTrailerError, {"rows": [(0, FRAME)] * 100}),
    ],
)
def test_refuses_groups_that_contradict_the_table(tmp_path: Path, error: type[IpfszError], change: Any) -> None:
    store, root, _ = grouped_file(ZSTD, 100, **change)

    with pytest.raises(error):
        read(store, root, tmp_path, end=10)


def test_reads_a_file_with_a_region_table(tmp_path: Path) -> None:
    store = Store()
    count = GROUP + 10
    base = BASE
    frame = zstd_frame(BASE[:FRAME], BASE[: FRAME + 8])
    plain = zstd_frame(b"the end")
    rows = [(len(frame), FRAME, 0, FRAME + 8)] * (count - 1) + [(len(plain), 7, 0, 0)]
    size = FRAME * (count - 1) + 7
    stream = frame * (count - 1) + plain + region_table(rows)
    stream += (0x184D2A5E).to_bytes(4, "little") + len(base).to_bytes(4, "little")
    regions = [GROUP * (FRAME + 8), FRAME + 8, 9 * (FRAME + 8), FRAME + 8]
    rest = packed(12, group_sums(rows)) + packed(13, regions)
    header = header_of(ZSTD, size, version=2, rest=rest)
    base_cid = store.file(children=store.leaves(base))
    root = store.file(children=[*store.leaves(stream), (base_cid, len(base))], header=header)

    assert read(store, root, tmp_path, start=size - 20) == BASE[FRAME - 13 : FRAME] + b"the end"
    assert read(store, root, tmp_path, start=FRAME * GROUP - 5, end=FRAME * GROUP + 5) == (
        BASE[FRAME - 5 : FRAME] + BASE[:5]
    )


def test_filters_that_are_not_sealed_are_refused(tmp_path: Path) -> None:
    header = header_of(size=len(DATA), lengths=LENGTHS, version=2, rest=packed(11, [0x202]))

    with pytest.raises(CorruptFrameError):
        read(*file_with(header), tmp_path)


def test_undoes_every_filter() -> None:
    from ipfsz.filters import DELTAS, FILTERS, SHUFFLES, undo_filters

    data = wave(1000) + b"end"
    for code in FILTERS:
        width = code & 0xFF
        whole = len(data) // width * width
        elements = [data[at : at + width] for at in range(0, whole, width)]
        if code in DELTAS:
            numbers = [0] + [int.from_bytes(element, "little") for element in elements]
            changed = [(b - a) % (1 << 8 * width) for a, b in pairwise(numbers)]
            filtered = b"".join(value.to_bytes(width, "little") for value in changed) + data[whole:]
        else:
            if code not in SHUFFLES:
                pairs = pairwise([bytes(width), *elements])
                elements = [bytes((b - a) % 256 for a, b in zip(*pair, strict=True)) for pair in pairs]
            filtered = b"".join(bytes(element[p] for element in elements) for p in range(width)) + data[whole:]
        assert undo_filters(filtered, [code]) == data, hex(code)


def test_the_data_of_a_node_comes_before_its_children_and_its_filesize_is_not_used(tmp_path: Path) -> None:
    store = Store()
    root = store.file(b"data", store.leaves(DATA), size=5)
    fs = IpfszFileSystem(cars=[store.car(tmp_path / "file.car", root)], gateways=[], cache=False)

    assert fs.cat_file(str(root)) == b"data" + DATA
    assert fs.cat_file(str(root), 2, 8) == b"ta" + DATA[:4]
    assert fs.cat_file(str(root), 4, 8) == DATA[:4]


@pytest.mark.parametrize(("length", "error"), [(20, None), (19, DigestLengthError)])
def test_a_digest_may_be_cut_to_20_bytes(tmp_path: Path, length: int, error: type[IpfszError] | None) -> None:
    store = Store()
    root = store.file(DATA)
    cut = CID(1, root.codec, root.hash, root.digest[:length])
    store.blocks[cut.multihash] = store.blocks.pop(root.multihash)
    fs = IpfszFileSystem(cars=[store.car(tmp_path / "file.car", cut)], gateways=[], cache=False)

    if error is None:
        assert fs.cat_file(str(cut)) == DATA
    else:
        with pytest.raises(error):
            fs.cat_file(str(cut))
