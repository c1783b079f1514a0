"""The framing format of Snappy to stdout, from a file or stdin.

`snappy-framing.py -c [FILE]` compresses, `-d` decompresses.

Google's libsnappy makes the blocks, python-snappy the framing. Its own command cannot be used:
in Debian 12 the CRC-32C of python-snappy 0.5.3 fails under Python 3.11, so this file has its own.
"""
import sys

try:
    from snappy import StreamCompressor, StreamDecompressor, snappy
except ImportError:
    sys.exit('python-snappy is not installed: on Debian: apt-get install python3-snappy')

TABLE = []

for byte in range(256):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)

    TABLE.append(byte)


def crc32c(data):
    crc = 0xffffffff

    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xff]

    return crc ^ 0xffffffff


assert crc32c(b'123456789') == 0xe3069283
snappy._crc32c = crc32c
data = (open(sys.argv[2], 'rb') if len(sys.argv) > 2 else sys.stdin.buffer).read()

if sys.argv[1] == '-d':
    decompressor = StreamDecompressor()
    output = decompressor.decompress(data)
    # fails on truncated input
    decompressor.flush()
else:
    output = StreamCompressor().add_chunk(data)

sys.stdout.buffer.write(output)
