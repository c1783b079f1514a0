/** @module-tag long */
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { markerCodecs, unmark } from '@ipfsz/core'
import { encode } from 'cborg'
import { FsDatastore } from 'datastore-fs'
import { createHeliaLight } from 'helia'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { listBlocks, openBlocks } from '../support/stored-blocks.ts'
import type { Pins } from 'helia'
import type { Sandbox } from './run-cli.ts'

/** CBOR of lists nested 10,000 deep. */
const DEEP = Buffer.alloc(10_000, 0x81)

/** Ways to damage a record. */
const DAMAGES: Array<[string, (file: string) => Promise<unknown>]> = [
  ['is empty', async file => truncate(file)],
  ['holds only zeros', async file => writeFile(file, Buffer.alloc(64))],
  ['is cut short', async file => truncate(file, 10)],
  ['holds text', async file => writeFile(file, text(100))],
  ['holds a list', async file => writeFile(file, encode([1]))],
  ['holds null', async file => writeFile(file, encode(null))],
  ['has no depth', async file => writeFile(file, encode({ metadata: {} }))],
  ['has an invalid depth', async file => writeFile(file, encode({ depth: -1, metadata: {} }))],
  ['has invalid metadata', async file => writeFile(file, encode({ depth: Infinity, metadata: 'none' }))],
  [
    'has an invalid marked CID',
    async file => writeFile(file, encode({ depth: Infinity, metadata: { 'ipfsz.cid': 'none' } }))
  ],
  [
    'has the marked CID of another block',
    async file => writeFile(
      file,
      encode({
        depth: Infinity,
        metadata: { 'ipfsz.cid': 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354' }
      })
    )
  ],
  ['is deeply nested', async file => writeFile(file, DEEP)],
  ['is larger than memory', async file => truncate(file, 2 ** 40)],
  ['is a pipe without a writer', async file => {
    await rm(file)
    execFileSync('mkfifo', [file])
  }]
]

function pinFile ({ repo }: Sandbox, cid: string): string {
  return join(repo, 'datastore', 'pin', `${unmark(CID.parse(cid)).toV1().toString(base36)}.data`)
}

function countFile ({ repo }: Sandbox, cid: string): string {
  return join(repo, 'datastore', 'pinned-block', `${base36.encode(CID.parse(cid).multihash.bytes)}.data`)
}

async function heliaPins ({ repo }: Sandbox): Promise<Pins> {
  return createHeliaLight({
    blockstore: await openBlocks(repo),
    datastore: new FsDatastore(join(repo, 'datastore')),
    codecs: markerCodecs
  }).pins
}

async function listed (sandbox: Sandbox): Promise<unknown[]> {
  const result = await sandbox.run(['pin', 'ls', '--json'])
  expectSuccess(result)

  return parseLines(result.stdout).map(({ cid }) => cid)
}

describe.concurrent.for(DAMAGES)('a pin record that %s', ([, damage]) => {
  it('is reported by pin ls and hides no other pin', async ({ sandbox }) => {
    const [one, other] = [await sandbox.add(text(1000, 1)), await sandbox.add(text(1000, 2))]
    await damage(pinFile(sandbox, one))

    const { code, stdout, stderr } = await sandbox.run(['pin', 'ls', '--json'])

    expect(code).toBe(1)
    const plain = unmark(CID.parse(one)).toV1().toString()
    expect(parseLines(stdout)).toMatchObject([{ cid: other }, {
      cid: plain,
      state: 'unreadable',
      record: pinFile(sandbox, one),
      error: 'PinRecordError',
      message: expect.any(String)
    }])
    expect(stderr).toContain(pinFile(sandbox, one))
    expect(stderr).toContain(unmark(CID.parse(one)).toString())
  })

  it('stops gc from deleting anything and is named by it', async ({ sandbox }) => {
    const one = await sandbox.add(text(1000, 1))
    await sandbox.add(text(1000, 2), '--no-pin')
    const before = await listBlocks(sandbox.repo)
    await damage(pinFile(sandbox, one))

    for (const args of [['gc'], ['gc', '--force'], ['gc', '--dry-run']]) {
      const result = await sandbox.run(args)
      expectFailure(result, 1)
      expect(result.stderr).toContain(pinFile(sandbox, one))
    }

    expect(await listBlocks(sandbox.repo)).toEqual(before)
  })

  it('is replaced by pin add', async ({ sandbox }) => {
    const [one, other] = [await sandbox.add(text(1000, 1)), await sandbox.add(text(1000, 2))]
    await damage(pinFile(sandbox, one))

    expectSuccess(await sandbox.run(['pin', 'add', one]))

    expect((await listed(sandbox)).toSorted()).toEqual([one, other].toSorted())
    expectSuccess(await sandbox.run(['gc']))
    expectSuccess(await sandbox.run(['cat', one]))
  })

  it('is removed by pin rm', async ({ sandbox }) => {
    const [one, other] = [await sandbox.add(text(1000, 1)), await sandbox.add(text(1000, 2))]
    await damage(pinFile(sandbox, one))

    expectSuccess(await sandbox.run(['pin', 'rm', one]))

    expect(await listed(sandbox)).toEqual([other])
    expectSuccess(await sandbox.run(['gc']))
    expect(await (await heliaPins(sandbox)).isPinned(unmark(CID.parse(one)))).toBe(false)
  })
})

describe.concurrent('an unreadable pin record', () => {
  it.for(['pin ls', 'verify --all', 'repair'])('has a row in the output of %s with --json, and none without', async (
    command,
    { sandbox }
  ) => {
    const args = command.split(' ')
    const [one, other] = [await sandbox.add(text(1000, 1)), await sandbox.add(text(1000, 2))]
    await truncate(pinFile(sandbox, one))

    const [json, plain] = [await sandbox.run([...args, '--json']), await sandbox.run(args)]

    expect([json.code, plain.code]).toEqual([1, 1])
    expect(parseLines(json.stdout)).toEqual([
      expect.objectContaining({ cid: other }),
      {
        cid: unmark(CID.parse(one)).toV1().toString(),
        ...args[0] === 'verify' ? { ok: false } : {},
        state: 'unreadable',
        record: pinFile(sandbox, one),
        error: 'PinRecordError',
        message: expect.any(String)
      }
    ])
    expect(plain.stdout.toString().trimEnd().split('\n')).toHaveLength(1)
    expect(plain.stderr).toContain(pinFile(sandbox, one))
  })
})

describe.concurrent('an entry of the pin directory that is not a pin record', () => {
  it.for([
    'notes.data',
    '.data',
    'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354.data',
    'k.data'
  ])('is reported by pin ls and stops gc from deleting anything: %s', async (name, { sandbox }) => {
    const cid = await sandbox.add(text(1000))
    await sandbox.add(text(1000, 2), '--no-pin')
    const file = join(sandbox.repo, 'datastore', 'pin', name)
    await writeFile(file, await readFile(pinFile(sandbox, cid)))

    const { code, stdout, stderr } = await sandbox.run(['pin', 'ls', '--json'])
    expect(code).toBe(1)
    expect(parseLines(stdout)).toMatchObject([{ cid }, { state: 'unreadable', record: file }])
    expect(stderr).toContain(file)
    const collected = await sandbox.run(['gc'])
    expectFailure(collected, 1)
    expect(collected.stderr).toContain(file)

    await rm(file)
    expectSuccess(await sandbox.run(['gc']))
  })

  it('is ignored when it is a temporary file or a directory', async ({ sandbox }) => {
    const cid = await sandbox.add(text(1000))
    await writeFile(`${pinFile(sandbox, cid)}.tmp`, '')
    await mkdir(join(sandbox.repo, 'datastore', 'pin', 'old'))

    expect(await listed(sandbox)).toEqual([cid])
    expectSuccess(await sandbox.run(['gc']))
  })
})

describe.concurrent('a pin count', () => {
  it.for(DAMAGES)('that %s is rebuilt and stops no command', async ([, damage], { sandbox }) => {
    const cid = await sandbox.add(text(1000))
    const root = unmark(CID.parse(cid))

    await damage(countFile(sandbox, cid))
    expect(await listed(sandbox)).toEqual([cid])
    expectSuccess(await sandbox.run(['gc']))
    expectSuccess(await sandbox.run(['pin', 'add', cid]))
    await damage(countFile(sandbox, cid))
    expectSuccess(await sandbox.run(['pin', 'rm', cid]))
    expect(await (await heliaPins(sandbox)).isPinned(root)).toBe(false)
    expectSuccess(await sandbox.run(['pin', 'add', cid]))
    expect(await (await heliaPins(sandbox)).isPinned(root)).toBe(true)
  })

  it('includes the pins that Helia counted', async ({ sandbox }) => {
    const cid = await sandbox.add(text(1000), '--no-pin')
    const plain = unmark(CID.parse(cid))
    const raw = CID.createV1(0x55, plain.multihash)
    const pins = (await heliaPins(sandbox))
    await Array.fromAsync(pins.add(raw))

    await sandbox.run(['pin', 'add', cid])
    await sandbox.run(['pin', 'add', cid])
    await Array.fromAsync(pins.rm(raw))
    expect(await pins.isPinned(plain)).toBe(true)
    expectSuccess(await sandbox.run(['pin', 'rm', cid]))

    expect(await pins.isPinned(plain)).toBe(false)
    expect(await readdir(join(sandbox.repo, 'datastore', 'pinned-block'))).toEqual([])
  })

  it('does not make a pin recursive: pin add extends a depth 0 pin of Helia to all blocks', async ({
    sandbox
  }) => {
    const cid = await sandbox.add(text(3_000_000), '--no-pin', '--codec', 'none')
    const pins = (await heliaPins(sandbox))
    await Array.fromAsync(pins.add(unmark(CID.parse(cid)), { depth: 0 }))

    expectSuccess(await sandbox.run(['pin', 'add', cid]))
    expectSuccess(await sandbox.run(['gc']))

    expectSuccess(await sandbox.run(['cat', cid]))
  })
})
