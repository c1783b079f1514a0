/** @module-tag long */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { expectFailure, expectSuccess, it } from './run-cli.ts'
import type { Sandbox } from './run-cli.ts'

/** Add a directory with a file and a directory, and return its CID. */
async function addTree ({ directory, run, add }: Sandbox): Promise<string> {
  await mkdir(join(directory, 'tree/sub/d $e'), { recursive: true })
  await writeFile(join(directory, 'tree/a b.txt'), text(10_000))
  await writeFile(join(directory, 'tree/sub/c'), text(10_000))
  await writeFile(join(directory, 'tree/sub/d $e/f'), text(10_000))
  await add(text(500))

  const { stdout } = await run(['add', '-Q', 'tree'])

  return stdout.toString().trim()
}

async function words ({ run }: Sandbox, ...typed: string[]): Promise<string[]> {
  const result = await run(['complete', '--', ...typed])

  expectSuccess(result)

  return result.stdout.toString().split('\n').slice(0, -1)
}

describe.concurrent('ipfsz complete', () => {
  it('suggests pins with their names', async ({ sandbox }) => {
    const cid = await addTree(sandbox)

    expect(await words(sandbox, 'cat', cid.slice(0, -1))).toEqual([`${cid}\ttree`])
    expect(await words(sandbox, 'cat', 'b')).toHaveLength(2)
    expect(await words(sandbox, 'cat', 'x')).toEqual([])
  })

  it('suggests what is in a directory', async ({ sandbox }) => {
    const cid = await addTree(sandbox)

    expect(await words(sandbox, 'cat', `${cid}/`)).toEqual([`${cid}/a b.txt\t`, `${cid}/sub/\t`])
    expect(await words(sandbox, 'get', `${cid}/sub/c`)).toEqual([`${cid}/sub/c\t`])
    expect(await words(sandbox, 'ls', `/ipfs/${cid}/s`)).toEqual([`/ipfs/${cid}/sub/\t`])
    expect(await words(sandbox, 'ls', `ipfs://${cid}/s`)).toEqual([`ipfs://${cid}/sub/\t`])
  })

  it('suggests nothing, without a message, where there is nothing', async ({ sandbox }) => {
    const cid = await sandbox.add(text(10_000))

    expect(await words(sandbox, 'cat', '--repo', 'other', 'b')).toEqual([])
    expect(await words(sandbox, 'cat', `${cid}/`)).toEqual([])
    expect(await words(sandbox, 'cat', `${cid}/no/such/path`)).toEqual([])
    expect(await words(sandbox, 'cat', 'bnonsense/')).toEqual([])
  })

  it('leaves names out that could do something in a terminal', async ({ sandbox }) => {
    await mkdir(join(sandbox.directory, 'tree'))
    await writeFile(join(sandbox.directory, 'tree/a\nb'), 'x')
    const { stdout } = await sandbox.run(['add', '-Q', 'tree'])

    expect(await words(sandbox, 'cat', `${stdout.toString().trim()}/`)).toEqual([])
  })

  it('says where a path on this machine may come', async ({ sandbox }) => {
    expect(await words(sandbox, 'add', 'x')).toEqual([':files'])
  })
})

describe.concurrent('ipfsz completion', () => {
  it('completes in bash', async ({ sandbox }) => {
    const cid = await addTree(sandbox)
    const script = `source <(ipfsz completion bash)
      # the line, then the words that bash makes of it
      try () {
        COMP_LINE=$1; shift; COMP_WORDS=(ipfsz "$@"); COMP_CWORD=$#
        _ipfsz ipfsz; printf '%s,' "\${COMPREPLY[@]}"; echo
      }
      all () { try "ipfsz $*" "$@"; }
      all pi; all add --codec z; try 'ipfsz add --codec=z' add --codec = z; try 'ipfsz add --codec=' add --codec =
      all cat ${cid}/a; all add x; all cat '${cid}/a\\ b'; all cat '${cid}/sub/d\\ \\$e/'
      try 'ipfsz cat ipfs://${cid}/a' cat ipfs : //${cid}/a; try 'ipfsz  cat  ipfs:' cat ipfs :`
    await sandbox.write('try.bash', Buffer.from(`ipfsz () { "$NODE" "$CLI" "$@"; }\n${script}\n`))

    const { stdout } = await sandbox.shell('bash try.bash')

    expect(stdout.toString().split('\n')).toEqual([
      'pin,',
      'zstd,',
      'zstd,',
      'zstd,gzip,lz4,brotli,snappy,lzo,auto,none,',
      `${cid}/a\\ b.txt,`,
      ',',
      `${cid}/a\\ b.txt,`,
      `${cid}/sub/d\\ \\$e/f,`,
      `//${cid}/a\\ b.txt,`,
      ',',
      ''
    ])
  })

  it.for(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell, { sandbox }) => {
    const result = await sandbox.run(['completion', shell])

    expectSuccess(result)
    expect(result.stdout.toString()).toContain(`for ${shell}. To load it: `)
  })

  it('refuses another shell', async ({ sandbox }) => {
    expectFailure(await sandbox.run(['completion', 'csh']), 2)
  })
})
