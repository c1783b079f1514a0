import { chmod, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { expectSuccess, it } from '../integration/run-cli.ts'
import { makeTree } from '../integration/tree-files.ts'
import { noise, text } from '../support/data.ts'
import { useKubo } from '../support/kubo.ts'

const { ipfs } = useKubo()

/** How ipfsz and Helia cut files. */
const LAYOUT = ['--chunker=size-1048576', '--max-file-links=1024']

describe('ipfsz add --codec none', () => {
  it.for(['-r', '-rw'])('gives a tree the CID that ipfs add %s gives it', async (option, { sandbox }) => {
    const directory = await makeTree(join(sandbox.directory, 'in'), {
      'a.txt': text(10_000),
      'sub/b.bin': noise(2_500_000),
      'sub/empty': '',
      nothing: null
    })
    await chmod(join(directory, 'a.txt'), 0o755)
    await utimes(directory, 1_600_000_000, 1_600_000_000)
    const options = ['add', '-Q', '-n', '--cid-version=1', option]

    const theirs = await ipfs([...options, ...LAYOUT, directory])
    const ours = await sandbox.run([...options, '--codec', 'none', 'in'])

    expect(ours.stdout.toString()).toBe(theirs.toString())
    expectSuccess(ours)
  })
})
