import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { CLI, it } from '../integration/run-cli.ts'
import { text } from '../support/data.ts'
import type { RunResult, Sandbox } from '../integration/run-cli.ts'

/** The exit code of sh for a command that is not there. */
const NOT_INSTALLED = 127

/**
 * Types each line that it reads into an interactive zsh, and Tab after it, and prints what the line is then. The shell
 * needs a terminal, which zpty makes, and tells of its line through a pipe.
 */
const ZSH_DRIVER = `
zmodload zsh/zpty
mkfifo told
exec 3<> told
zpty shell zsh -f -i
zpty -w shell 'source inner.zsh'
read -r line <&3

while IFS= read -r typed; do
  zpty -w -n shell "$typed"$'\\t'
  IFS= read -r line <&3
  print -r -- "$line|"
  # a full terminal would stop the shell
  while zpty -r -t shell shown; do :; done
done

zpty -d shell
`

const ZSH_INNER = `
autoload -U compinit
compinit -u -D
source <(ipfsz completion zsh)

complete-and-tell () {
  zle complete-word
  print -r -- "$BUFFER" >&3
  zle send-break
}

zle -N complete-and-tell
bindkey '^I' complete-and-tell
print ready >&3
`

/** Make a command `ipfsz`, and a tree that was added. Returns its CID. */
async function prepare ({ directory, run }: Sandbox): Promise<string> {
  await mkdir(join(directory, 'bin'))
  await writeFile(join(directory, 'bin/ipfsz'), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`)
  await chmod(join(directory, 'bin/ipfsz'), 0o755)
  await mkdir(join(directory, 'tree/sub/d e'), { recursive: true })
  await writeFile(join(directory, 'tree/a b.txt'), text(10_000))
  await writeFile(join(directory, 'tree/sub/d e/c'), text(10_000))

  return (await run(['add', '-Q', 'tree'])).stdout.toString().trim()
}

async function shell ({ shell }: Sandbox, line: string): Promise<RunResult> {
  const result = await shell(`PATH="$PWD/bin:$PATH"; ${line}`)

  expect(result.code, 'zsh or fish is missing: apt-get install zsh fish').not.toBe(NOT_INSTALLED)

  return result
}

describe.concurrent('completion', () => {
  it('inserts what was meant in zsh', async ({ sandbox }) => {
    const cid = await prepare(sandbox)
    const typed = [
      'pi',
      'add --codec z',
      'add --codec=z',
      'add --frame',
      `cat ${cid.slice(0, -3)}`,
      `cat ${cid}/a`,
      `ls ${cid}/s`,
      `ls ${cid}/sub/d\\ e/`,
      'add tr'
    ]
    await sandbox.write('driver.zsh', Buffer.from(ZSH_DRIVER))
    await sandbox.write('inner.zsh', Buffer.from(ZSH_INNER))
    await sandbox.write('typed', Buffer.from(typed.map(words => `ipfsz ${words}\n`).join('')))

    const { stdout } = await shell(sandbox, 'zsh -f driver.zsh < typed')

    expect(stdout.toString().split('\n')).toEqual([
      'ipfsz pin |',
      'ipfsz add --codec zstd |',
      'ipfsz add --codec=zstd |',
      'ipfsz add --frame-size |',
      `ipfsz cat ${cid} |`,
      `ipfsz cat ${cid}/a\\ b.txt |`,
      // more may follow
      `ipfsz ls ${cid}/sub/|`,
      `ipfsz ls ${cid}/sub/d\\ e/c |`,
      'ipfsz add tree/|',
      ''
    ])
  })

  it('offers words with what they mean in fish', async ({ sandbox }) => {
    const cid = await prepare(sandbox)
    const typed = [
      'pi',
      'add --codec z',
      'add --codec=z',
      `cat ${cid.slice(0, -3)}`,
      `cat ${cid}/`,
      `cat ${cid}/sub/d\\ e/`,
      `cat "${cid}/sub/d e/`,
      'add tr'
    ]
    await sandbox.write('words.fish', Buffer.from([
      'ipfsz completion fish | source',
      ...typed.map(words => `complete -C 'ipfsz ${words}'`)
    ].join('\n')))

    const { stdout } = await shell(sandbox, 'fish --no-config words.fish')

    expect(stdout.toString().split('\n')).toEqual([
      'pin\tchoose what ipfsz gc keeps',
      'zstd',
      '--codec=zstd',
      `${cid}\ttree`,
      `${cid}/a b.txt`,
      `${cid}/sub/`,
      `${cid}/sub/d e/c`,
      `${cid}/sub/d e/c`,
      'tree/',
      ''
    ])
  })
})
