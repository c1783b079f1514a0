/**
 * Writes docs/troubleshooting.md from what the command advises for each error: the tables and comments of
 * `packages/cli/src/advice`. Run after tsc.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ADVICE } from '../packages/cli/dist/advice/advice.js'

const ROOT = join(import.meta.dirname, '..')
const FILE = join(ROOT, 'docs/troubleshooting.md')

/** The files with advice, in the order of the page. */
const FILES = [
  'fetching', 'damage', 'disk', 'system-errors', 'cids', 'links', 'repo', 'stores', 'servers', 's3', 'programs'
]

const INTRODUCTION = `# Troubleshooting by message

<!-- Written by scripts/troubleshooting.ts: change the comments in packages/cli/src/advice, and run it again. -->

Find the message that \`ipfsz\` printed. Words in capitals are placeholders: a CID, a path, an address. Below each \
message is the name of its error, which \`--json\` prints as \`name\` and programs find in \`err.name\`, and what the \
command advises.

\`--verbose\` adds the causes and the stack. The reference lists the [exit codes](../packages/cli/README.md#exit-codes).
`

/** A comment, and the key of an advice, or the code of a system error, that it explains. */
const ENTRY = /\/\*\*\n((?: *\*.*\n)+?) *\*\/\n *(?:case )?'?(\w+(?: [\w-]+)?)'?:/g

/** A message in such a comment, and what is said of it. */
const MESSAGE = /^# (.*)\n\n([^]*?)(?=\n# |$(?![^]))/gm

/** What advice is about, in messages on the page. */
const PLACEHOLDERS = { cid: 'CID', root: 'CID', key: 'KEY', place: 'PLACE', session: 'ID', store: 'PLACE' }

export function troubleshootingPage (): string {
  return [INTRODUCTION, ...FILES.map(section)].join('\n')
}

function section (name: string): string {
  const source = readFileSync(join(ROOT, 'packages/cli/src/advice', `${name}.ts`), 'utf8')
  const [, introduction] = /\/\*\*([^/]*?)\*\/\nexport (?:const [A-Z]\w*: Advice|function)/.exec(source) ?? []
  const [title, ...more] = withoutStars(introduction ?? '').trim().split('\n')
  const entries = Array.from(source.matchAll(ENTRY), ([, comment, key]) => ({ comment: withoutStars(comment), key }))

  return [
    `## ${title}\n`,
    ...more.length === 0 ? [] : [`${joined(more.join('\n'))}\n`],
    ...entries.flatMap(({ comment, key }) => [...comment.matchAll(MESSAGE)].flatMap(([, message, text], index) => [
      `### ${message.includes('`') ? message : `\`${message}\``}\n`,
      `${nameOf(key)}. ${joined(text)}\n`,
      // the advice is about the first message
      ...index === 0 ? adviceOn(key, message) : []
    ]))
  ].join('\n')
}

function withoutStars (comment: string): string {
  return comment.replaceAll(/^ *\* ?/gm, '')
}

function nameOf (key: string): string {
  const [name] = key.split(' ')

  return /^E[A-Z]+$/.test(name) ? `The system reports \`${name}\`` : `\`${name}\``
}

/** What the command advises, unless the message ends with it. */
function adviceOn (key: string, message: string): string[] {
  const advice = ADVICE[key]
  const text = (typeof advice === 'function' ? advice(PLACEHOLDERS) : advice)?.replace(/^[:.,] /, '') ?? ''

  return text === '' || message.includes(text.slice(0, 20)) ? [] : [`The command advises: *${text}*.\n`]
}

/** Each paragraph in one line, as in other documents. */
function joined (text: string): string {
  return text.trim().replaceAll(/(?<!\n)\n(?!\n|- )/g, ' ').replaceAll(/ {2,}/g, ' ')
}

if (import.meta.main) {
  writeFileSync(FILE, troubleshootingPage())
}
