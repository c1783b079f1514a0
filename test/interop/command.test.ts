import { describe, expect } from 'vitest'
import { expectSuccess, it } from '../integration/run-cli.ts'
import { text } from '../support/data.ts'
import { run } from '../support/tools.ts'

/** For each codec, the tool that decompresses stdin to stdout. */
const TOOLS = [
  ['zstd', 'zstd -dc'],
  ['gzip', 'gzip -dc'],
  ['lz4', 'lz4 -dc'],
  ['lzo', 'lzop -dc'],
  ['brotli', 'brotli -dc']
] as const

describe('ipfsz', () => {
  it.for(TOOLS)('add --codec %s, then cat --raw | %s, restores the file', async ([codec, tool], { sandbox }) => {
    // fails with how to install the tool if it is missing
    await run(tool.split(' ')[0], ['--version'])
    const bytes = text(1_500_000)
    await sandbox.write('file', bytes)
    const result = await sandbox.shell(`cid=$(ipfsz add -Q --codec ${codec} file) && ipfsz cat --raw "$cid" | ${tool}`)

    expectSuccess(result)
    expect(Buffer.compare(result.stdout, bytes)).toBe(0)
  })

  it.for(
    TOOLS.filter(([codec]) => codec !== 'brotli')
  )('add --codec %s, then cat of the plain CID | %s, restores a file of many frames', async (
    [codec, tool],
    { sandbox }
  ) => {
    const bytes = text(1_500_000)
    await sandbox.write('file', bytes)
    const result = await sandbox.shell(
      `cid=$(ipfsz add -Q --codec ${codec} --frame-size 256KiB file) && ipfsz cat "$(ipfsz cid plain "$cid")" | ${tool}`
    )

    if (codec === 'lzo') {
      // lzop warns about more than one frame, and exits with 2
      expect(result)
        .toMatchObject({ code: 2, stderr: 'lzop: <stdin>: warning: this is a multipart archive (try option \'-N\')\n' })
    } else {
      expectSuccess(result)
    }

    expect(Buffer.compare(result.stdout, bytes)).toBe(0)
  })

  it('refuses a stream of zstd --long by default, and reads it if --max-window allows it', {
    tags: 'nightly'
  }, async ({ sandbox }) => {
    await run('zstd', ['--version'])
    const bytes = text(12_000_000)
    await sandbox.write('file', bytes)
    const marked = await sandbox.shell(
      'zstd -q --long=24 --stream-size=12000000 < file > file.zst && ' +
        'ipfsz cid mark --codec zstd "$(ipfsz add -Q --codec none file.zst)"'
    )
    expectSuccess(marked)
    const cid = marked.stdout.toString().trim()

    for (const command of ['cat', 'stat', 'verify', 'get -o other']) {
      const refused = await sandbox.shell(`ipfsz ${command} ${cid}`)

      expect(refused.code, command).toBe(1)
      expect(refused.stderr, command).toContain('--max-window')
      expectSuccess(await sandbox.shell(`ipfsz ${command} --max-window 16MiB ${cid}`))
    }

    expect(Buffer.compare((await sandbox.shell(`ipfsz cat --max-window 16MiB ${cid}`)).stdout, bytes)).toBe(0)
    expect((await sandbox.shell(`ipfsz ls ${cid}`)).stdout.toString().split('\t')[1]).toBe('-')
    expectSuccess(await sandbox.shell('cmp file other'))
  })
})
