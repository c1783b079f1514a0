import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { mark, unmark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { longText, noise, random } from '../support/data.ts'
import type { Sandbox } from './run-cli.ts'

const MIB = 1024 * 1024

/** More than sockets hold of a response: the rest is held by the gateway, or not read. */
const SIZE = 24 * MIB
const FRAME = ['--frame-size', '16MiB']

/** What a gateway reads in its own way, and how many clients that do not read would take far more than it may hold. */
export interface LoadKind {
  name: string
  /** The path below `/ipfs/`, with its query. */
  path: string
  clients: number
  /** Whether each client gets its first bytes, however many there are. Others wait for an end of those before them. */
  isResumable: boolean
}

/** Add a file or a directory of every kind. */
export async function addLoadKinds (sandbox: Sandbox): Promise<LoadKind[]> {
  const text = longText(SIZE)
  const [plain, frames] = [await sandbox.add(noise(SIZE)), await sandbox.add(text, ...FRAME)]
  const marked = async (codec: 'zstd' | 'gzip' | 'brotli', bytes: Uint8Array): Promise<string> =>
    mark(unmark(CID.parse(await sandbox.add(bytes, '--codec', 'none'))), codec).toString()
  const { ZSTD_c_windowLog, BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants
  const streams = {
    zstd: zstdCompressSync(text, { params: { [ZSTD_c_windowLog]: 23 } }),
    gzip: gzipSync(text, { level: 1 }),
    brotli: brotliCompressSync(text, { params: { [BROTLI_PARAM_QUALITY]: 2, [BROTLI_PARAM_LGWIN]: 24 } })
  }
  const resumable: Array<[string, string, number]> = [
    ['plain', plain, 256],
    ['compressed', await sandbox.add(text), 256],
    ['frames of 16 MiB', frames, 32],
    ['filtered', await sandbox.add(sound(), ...FRAME), 24],
    ['base', await sandbox.add(edited(text), '--base', frames, '--frame-size', '64KiB'), 24],
    // sockets take all of it: this shows that few of them are read at a time
    ['dictionary', `${await addTree(sandbox, 'texts', textFiles(text))}/7.txt`, 256],
    ['tar', `${await addTree(sandbox, 'tar', [['a', text]], FRAME)}?format=tar`, 32]
  ]
  const others: Array<[string, string, number]> = [
    ['a stream of zstd', await marked('zstd', streams.zstd), 64],
    ['a stream of gzip', await marked('gzip', streams.gzip), 64],
    ['a stream of brotli', await marked('brotli', streams.brotli), 64],
    ['CAR', `${plain}?format=car`, 256],
    ['JSON', `${await sandbox.add(numbers(), ...FRAME)}?format=json`, 96],
    // one page for all, and blocks of which sockets take the most: these show that few are made and read at a time
    ['listing', `${await addTree(sandbox, 'many', manyFiles())}/`, 256],
    ['raw', `${await sandbox.add(noise(MIB, 2), '--codec', 'none')}?format=raw`, 400]
  ]

  return [
    ...resumable.map(([name, path, clients]) => ({ name, path, clients, isResumable: true })),
    ...others.map(([name, path, clients]) => ({ name, path, clients, isResumable: false }))
  ]
}

async function addTree (
  sandbox: Sandbox,
  name: string,
  files: Iterable<[string, Uint8Array]>,
  args: string[] = []
): Promise<string> {
  const tree = join(sandbox.directory, name)
  await mkdir(tree)

  for (const [file, bytes] of files) {
    await writeFile(join(tree, file), bytes)
  }

  return (await sandbox.run(['add', '-Q', ...args, tree])).stdout.toString().trim()
}

/** Small files that have much in common. */
function * textFiles (text: Uint8Array): Generator<[string, Uint8Array]> {
  for (let i = 0; i < 300; i++) {
    yield [`${i}.txt`, text.subarray(i * 1000, i * 1000 + 150_000)]
  }
}

function * manyFiles (): Generator<[string, Uint8Array]> {
  for (let i = 0; i < 1000; i++) {
    yield [`${i}${'x'.repeat(200)}`, Buffer.from(`${i}`)]
  }
}

function edited (bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, i) => i % 100_000 === 0 ? byte ^ 1 : byte)
}

/** The most that is parsed to see whether it is JSON. */
function numbers (): Uint8Array {
  const length = MIB

  return Buffer.from(`[${'[],'.repeat((length - 4) / 3)}1]`.slice(0, length))
}

/** One channel of 16 bits, as a WAV file. */
function sound (): Uint8Array {
  const bytes = Buffer.alloc(SIZE)
  const next = random(1)
  bytes.write('RIFF....WAVEfmt ')
  bytes.writeUInt32LE(SIZE - 8, 4)
  bytes.set([16, 0, 0, 0, 1, 0, 1, 0, 0x44, 0xac, 0, 0, 0x88, 0x58, 1, 0, 2, 0, 16, 0], 16)
  bytes.write('data', 36)
  bytes.writeUInt32LE(SIZE - 44, 40)

  for (let i = 44, value = 0; i < SIZE; i += 2) {
    value = Math.max(-30_000, Math.min(30_000, value + next() % 401 - 200))
    bytes.writeInt16LE(value, i)
  }

  return bytes
}
