import { crc32 } from '#platform/crc32'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { combineCrc32 } from '../src/format/checksums/combine-crc32.ts'
import { isJoinable, joinedLength, joinMembers, joinWholeMembers, storeMember } from '../src/gzip-members.ts'
import { gzip } from '../src/gzip.ts'
import { concat, label, noise, same, text, WRITERS } from './fixtures.ts'

const HEADER_LENGTH = 16
const TRAILER_LENGTH = 8

async function pipe (bytes: Uint8Array, through: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(through))
    .arrayBuffer())
}

/** The platform's own decoder. */
async function gunzip (bytes: Uint8Array): Promise<Uint8Array> {
  return pipe(bytes, new DecompressionStream('gzip'))
}

/** A member that another tool made. */
async function gzipOfOthers (bytes: Uint8Array): Promise<Uint8Array> {
  return pipe(bytes, new CompressionStream('gzip'))
}

async function * cutInto (bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.byteLength]

  for (let i = 1; i < places.length; i++) {
    yield bytes.subarray(places[i - 1], places[i])
  }
}

async function join (members: readonly Uint8Array[], cuts: readonly number[] = []): Promise<Uint8Array> {
  const lengths = members.map(member => member.byteLength)

  return concat(...await Array.fromAsync(joinMembers(cutInto(concat(...members), cuts), lengths)))
}

const WRITERS_OF_GZIP = WRITERS.filter(({ name }) => name === 'gzip').map(codec => [label(codec), codec] as const)

describe.each(WRITERS_OF_GZIP)('members of %s', (_, codec) => {
  it('are joined into one member of the same bytes, however the stream is cut', { tags: 'slow' }, async () => {
    const parts = [text(200_000), new Uint8Array(0), noise(70_000), text(1), new Uint8Array(100_000)]
    const members = await Promise.all(parts.map(async part => codec.compress(part)))
    const length = members.reduce((sum, member) => sum + member.byteLength, 0)

    await fc.assert(fc.asyncProperty(fc.array(fc.nat(length), { maxLength: 40 }), async cuts => {
      const joined = await join(members, cuts)
      const whole = concat(...parts)

      expect(joined.byteLength).toBe(joinedLength(members.map(member => member.byteLength)))
      expect(same(await gunzip(joined), whole)).toBe(true)
      // one member: its deflate stream decodes to everything, and its trailer fits
      const deflated = joined.subarray(HEADER_LENGTH, -TRAILER_LENGTH)
      expect(same(await pipe(deflated, new DecompressionStream('deflate-raw')), whole)).toBe(true)
    }), { numRuns: 50 })
  })

  it('are joined byte by byte', async () => {
    const parts = [text(100), noise(50)]
    const members = await Promise.all(parts.map(async part => codec.compress(part)))
    const all = Array.from({ length: members[0].byteLength + members[1].byteLength }, (_, i) => i)

    expect(same(await gunzip(await join(members, all)), concat(...parts))).toBe(true)
  })

  it('can be joined again', async () => {
    const [a, b, c] = await Promise.all([text(1000), text(2000), noise(10)].map(async part => codec.compress(part)))
    const twice = await join([await join([a, b]), c])

    expect(twice).toEqual(await join([a, b, c]))
  })

  it('say that they are joinable, at every level', { tags: 'slow' }, async () => {
    for (let level = codec.levels.min; level <= codec.levels.max; level++) {
      const member = await codec.compress(text(70_000), { level })

      expect(isJoinable(member)).toBe(true)
      expect(same(await gunzip(await join([member, member])), concat(text(70_000), text(70_000)))).toBe(true)
    }
  })

  it('are refused if the stream ends too soon', async () => {
    const member = await codec.compress(text(1000))
    const bytes = concat(member, member.subarray(0, -1))
    const joined = joinMembers(cutInto(bytes, []), [member.byteLength, member.byteLength])

    await expect(Array.fromAsync(joined)).rejects.toMatchObject({ name: 'CorruptFrameError', codec: 'gzip' })
  })
})

describe('joinMembers', () => {
  it('joins no members into the member of no bytes', async () => {
    const joined = await join([])

    expect(joined.byteLength).toBe(joinedLength([]))
    expect((await gunzip(joined)).byteLength).toBe(0)
  })

  it('refuses members of other tools', async () => {
    const other = await gzipOfOthers(text(1000))
    const ours = await gzip().compress(text(1000))

    expect(isJoinable(other)).toBe(false)
    await expect(join([ours, other])).rejects.toMatchObject({ name: 'CorruptFrameError', codec: 'gzip' })
  })

  it('refuses a member that says that it is joinable, and is not', async () => {
    const ours = await gzip().compress(text(1000))
    const other = concat(ours.subarray(0, HEADER_LENGTH), (await gzipOfOthers(text(1000))).subarray(10))

    expect(isJoinable(other)).toBe(true)
    await expect(join([ours, other])).rejects.toMatchObject({ name: 'CorruptFrameError', codec: 'gzip' })
  })

  it.each([0, 1, 25])('refuses a member of %i bytes', async length => {
    await expect(join([new Uint8Array(length)])).rejects.toMatchObject({ name: 'CorruptFrameError', codec: 'gzip' })
  })
})

describe('joinWholeMembers', () => {
  it('joins members as they are made, as joinMembers does', async () => {
    const made = [await gzip().compress(text(100_000)), storeMember(noise(200_000)), storeMember(new Uint8Array(0))]
    const joined = concat(...await Array.fromAsync(joinWholeMembers(cutInto(concat(...made), [
      made[0].byteLength, made[0].byteLength + made[1].byteLength
    ]))))

    expect(joined).toEqual(await join(made))
    expect(same(await gunzip(joined), concat(text(100_000), noise(200_000)))).toBe(true)
  })

  it('refuses members of other tools, and parts of members', async () => {
    const ours = await gzip().compress(text(1000))

    for (const member of [await gzipOfOthers(text(1000)), ours.subarray(0, -1), ours.subarray(0, 10)]) {
      await expect(Array.fromAsync(joinWholeMembers(cutInto(member, [])))).rejects.toMatchObject({
        name: 'CorruptFrameError', codec: 'gzip'
      })
    }
  })
})

describe('storeMember', () => {
  it.each([0, 1, 65_535, 65_536, 200_001])('makes a joinable member of %i bytes as they are', async size => {
    const bytes = noise(size)
    const member = storeMember(bytes)

    expect(isJoinable(member)).toBe(true)
    expect(member.byteLength).toBe(joinedLength([]) + size + 5 * Math.ceil(size / 65_535))
    expect(same(await gunzip(member), bytes)).toBe(true)
    expect(same(await gzip().decompress(member, { size }), bytes)).toBe(true)
  })
})

describe('combineCrc32', () => {
  it('is the checksum of both sequences together', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (first, second) => {
      expect(combineCrc32(crc32(first), crc32(second), second.byteLength)).toBe(crc32(concat(first, second)))
    }))
  })

  it('takes lengths above 2^32', () => {
    const zeros = new Uint8Array(2 ** 20)
    let checksum = crc32(text(10))
    let ofZeros = 0

    // doubling: the checksum of 2^33 zeros out of that of 2^20
    for (let length = 2 ** 20, part = crc32(zeros); length <= 2 ** 33; length *= 2) {
      ofZeros = part
      part = combineCrc32(part, part, length)
    }

    checksum = combineCrc32(checksum, ofZeros, 2 ** 33)
    const halves = combineCrc32(combineCrc32(crc32(text(10)), halfOf(), 2 ** 32), halfOf(), 2 ** 32)
    expect(checksum).toBe(halves)
  })
})

/** The checksum of 2^32 zeros. */
function halfOf (): number {
  let part = crc32(new Uint8Array(2 ** 20))

  for (let length = 2 ** 20; length < 2 ** 32; length *= 2) {
    part = combineCrc32(part, part, length)
  }

  return part
}
