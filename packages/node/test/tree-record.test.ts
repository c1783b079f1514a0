import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { TreeRecord } from '../src/known-files/tree-record.ts'
import type { KnownFile } from '../src/known-files/known-file.ts'

it('writes nothing once it is discarded, when another file has the number of its descriptor', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ipfsz-record-'))
  onTestFinished(() => { rmSync(directory, { recursive: true }) })
  const record = await TreeRecord.open({ directory, tree: '/tree', options: '', reads: false, now: 0 })
  await record.discard()
  const others = Array.from({ length: 8 }, (_, i) => join(directory, `other${i}`))
  const opened = others.map(path => openSync(path, 'w'))
  const file: KnownFile = {
    identity: [1n, 2n, 3n, 4n],
    isSettled: true,
    cid: new Uint8Array(36),
    dagSize: 1n,
    storedSize: 1n,
    isSingle: true,
    onlyIpfsz: false
  }

  // more than it keeps in memory
  for (let i = 0; i < 5000; i++) {
    record.add(`file${i}`, file)
  }

  opened.forEach(fd => { closeSync(fd) })
  expect(others.map(path => readFileSync(path).byteLength)).toEqual(others.map(() => 0))
})
