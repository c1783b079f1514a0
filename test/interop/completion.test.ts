import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { CLI, it } from '../integration/run-cli.ts'
import { text } from '../support/data.ts'
import type { RunResult, Sandbox } from '../integration/run-cli.ts'

/** The exit code of sh for a command that is not there. */
const NOT_INSTALLED = 127

/**
 * Types each line that it reads into an interactive shell, with some keys after it, and prints what the line is then.
 * The shell needs a terminal, which zpty of zsh makes, and tells of its line through a pipe.
 */
const driver = (start: string, keys: string): string => `
zmodload zsh/zpty
mkfifo told
exec 3<> told
zpty shell ${start}
zpty -w shell 'source ./inner'
read -r line <&3

while IFS= read -r typed; do
  zpty -w -n shell "$typed"$'${keys}'
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

/** Bash completes at Tab, and tells at Ctrl-X Ctrl-T. */
const BASH_INNER = `
source <(ipfsz completion bash)

tell () {
  printf '%s\\n' "$READLINE_LINE" >&3
  READLINE_LINE=''
  READLINE_POINT=0
}

bind -x '"\\C-x\\C-t": tell'
echo ready >&3
`

/** Make a command `ipfsz`, and a tree that was added. Returns its CID. */
async function prepare ({ directory, run }: Sandbox): Promise<string> {
  await mkdir(join(directory, 'bin'))
  await writeFile(join(directory, 'bin/ipfsz'), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`)
  await chmod(join(directory, 'bin/ipfsz'), 0o755)
  await mkdir(join(directory, 'tree/sub/d e'), { recursive: true })
  await writeFile(join(directory, 'tree/a b.txt'), text(10_000))
  await writeFile(join(directory, 'tree/sub/d e/c'), text(10_000))
  await writeFile(join(directory, 'tree/x:=y'), text(10_000))

  return (await run(['add', '-Q', 'tree'])).stdout.toString().trim()
}

async function shell ({ shell }: Sandbox, line: string): Promise<RunResult> {
  const result = await shell(`PATH="$PWD/bin:$PATH"; ${line}`)

  expect(result.code, 'zsh or fish is missing: apt-get install zsh fish').not.toBe(NOT_INSTALLED)

  return result
}

/** Complete lines in an interactive shell. Returns what becomes of them, with `|` at their ends. */
async function complete (
  sandbox: Sandbox,
  name: 'bash' | 'zsh',
  inner: string,
  typed: readonly string[]
): Promise<string[]> {
  const [start, keys] = { bash: ['bash --norc -i', '\\t\\C-x\\C-t'], zsh: ['zsh -f -i', '\\t'] }[name]
  await sandbox.write('driver.zsh', Buffer.from(driver(start, keys)))
  await sandbox.write('inner', Buffer.from(inner))
  await sandbox.write('typed', Buffer.from(typed.map(words => `ipfsz ${words}\n`).join('')))

  const { stdout } = await shell(sandbox, 'zsh -f driver.zsh < typed')

  return stdout.toString().split('\n')
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
      `cat ipfs://${cid.slice(0, -3)}`,
      `cat ipfs://${cid}/a`,
      'add tr'
    ]
    const lines = await complete(sandbox, 'zsh', ZSH_INNER, typed)

    expect(lines).toEqual([
      'ipfsz pin |',
      'ipfsz add --codec zstd |',
      'ipfsz add --codec=zstd |',
      'ipfsz add --frame-size |',
      `ipfsz cat ${cid} |`,
      `ipfsz cat ${cid}/a\\ b.txt |`,
      // more may follow
      `ipfsz ls ${cid}/sub/|`,
      `ipfsz ls ${cid}/sub/d\\ e/c |`,
      `ipfsz cat ipfs://${cid} |`,
      `ipfsz cat ipfs://${cid}/a\\ b.txt |`,
      'ipfsz add tree/|',
      ''
    ])
  })

  it('inserts what was meant in bash, which splits words at colons', async ({ sandbox }) => {
    const cid = await prepare(sandbox)
    const typed = [
      'pi',
      'add --codec z',
      'add --codec=',
      'add --codec=z',
      `cat ${cid.slice(0, -3)}`,
      `ls ${cid}/sub/d\\ e/`,
      `cat ipfs://${cid.slice(0, -3)}`,
      `cat ipfs://${cid}/a`,
      `ls ipfs://${cid}/s`,
      `du ipfs://${cid}/a\\ b.txt --repo=${sandbox.repo} ipfs://${cid}/sub/`,
      `cat http://127.0.0.1:8080/ipfs/${cid}/a`,
      `ls ${cid}/x:`,
      'add tr'
    ]
    const lines = await complete(sandbox, 'bash', BASH_INNER, typed)

    expect(lines).toEqual([
      'ipfsz pin |',
      'ipfsz add --codec zstd |',
      // several fit
      'ipfsz add --codec=|',
      'ipfsz add --codec=zstd |',
      `ipfsz cat ${cid} |`,
      `ipfsz ls ${cid}/sub/d\\ e/c |`,
      `ipfsz cat ipfs://${cid} |`,
      `ipfsz cat ipfs://${cid}/a\\ b.txt |`,
      `ipfsz ls ipfs://${cid}/sub/|`,
      `ipfsz du ipfs://${cid}/a\\ b.txt --repo=${sandbox.repo} ipfs://${cid}/sub/d\\ e/|`,
      `ipfsz cat http://127.0.0.1:8080/ipfs/${cid}/a\\ b.txt |`,
      `ipfsz ls ${cid}/x:=y |`,
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
      `${cid}/x:=y`,
      `${cid}/sub/d e/c`,
      `${cid}/sub/d e/c`,
      'tree/',
      ''
    ])
  })
})
