import type { CodecName } from '../src/codec.ts'

export const TEXT = (
  'It was the best of times, it was the worst of times, ' +
  'it was the age of wisdom, it was the age of foolishness, '
).repeat(6)

/** Frames that other tools made of a file v.txt with {@link TEXT}. */
export const VECTORS: Readonly<Record<CodecName, string>> = {
  // zstd 1.5.4: zstd -c -19 v.txt
  zstd: 'KLUv/WSUAfUBAIJDCxDA6wBIXLaYbCJk/n30upYTBb8lczz2IZPj6rlWhPLCghvC7Ll5GzWTvVjNEAQAI+JQfS79fYJxw3MMFLUODw==',
  // gzip 1.12, with a name and a time in the header: gzip -9 -c v.txt
  gzip: 'H4sICJ43AGsCA3YudHh0APMsUShPLFYoyUhVSEotLlHIT1MoycxNLdZRyETIlOcX4ZJKTE8FSZRnFqfk52KTScvPz8kszshLLQZq' +
    '9By1bdQ2grYBAAi7Fi2UAgAA',
  // lz4 1.9.4, with a checksum of the content: lz4 -c -9 -BI --content-size v.txt
  lz4: 'BCJNGGxAlAIAAAAAAAAPTwAAAPYMSXQgd2FzIHRoZSBiZXN0IG9mIHRpbWVzLCBpGgA/d29yGwAFMGFnZRkAb3dpc2RvbRoAAd9m' +
    'b29saXNobmVzcywgbgD//xBQZXNzLCAAAAAApL2pbA==',
  // brotli 1.0.9: brotli -c -q 11 v.txt
  brotli: 'oZgUAG+kFmuNvSG94fl4T2SFlR0CBBxywN529TCBxDLQPMYyrGN5lNjqobsBXRqQ1fNIzo4POQcfPMmGakMyCw==',
  // lzop 1.04, with a name, a time and a checksum: lzop -c v.txt
  lzo: 'iUxaTwANChoKEEAgoAlAAQUDAAAJAACBpGsA4CsAAAAABXYudHh0UAMGEAAAApQAAABj0drl8wANSXQgd2FzIHRoZSBiZXN0IG9m' +
    'IHRpbWVzLCBpdCB3YacDd29yNmsAYWdlbAYDd2lzZG9tK9AAxAMKZm9vbGlzaG5lc3MsICAA9LQBD2Ugb2YgZm9vbGlzaG5lc3Ms' +
    'IBEAAAAAAAA=',
  // the snap crate, by cramjam 2.14.0 in Python: cramjam.snappy.compress(open('v.txt', 'rb').read())
  snappy: '/wYAAHNOYVBwWQBmAAC6nP3nlAVoSXQgd2FzIHRoZSBiZXN0IG9mIHRpbWVzLCBpGRoId29yXhsACGFnZQE0FHdpc2RvbTI1AA0a' +
    'MGZvb2xpc2huZXNzLCD+bgD+bgD+bgD+bgD+bgD+bgD+bgD+bgCWbgA='
}
