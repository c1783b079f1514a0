import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const GOLDEN = join(import.meta.dirname, 'golden')
/** Commands that print a drawing, words with descriptions for a shell, or units for people. */
const NOT_COLUMNS = /^(?:tree|complete)\b|--human/
/** Labels, headings, names of tools, a symlink, and a message. */
const WITH_SPACES = /^(?:(?:Plain|Marked) CID|Peer ID|On disk|\w+ -dc|link -> a\.txt|The block .*)$/

interface Told {
  /** Lines or objects; of help, all of it. */
  stdout?: unknown
}

it('columns in pipes have no spaces but in labels, names and messages', () => {
  const told = globSync('*.json', { cwd: GOLDEN }).flatMap(file =>
    Object.entries(JSON.parse(readFileSync(join(GOLDEN, file), 'utf8')) as Record<string, Told>))
  const fields = told.filter(([command]) => !NOT_COLUMNS.test(command)).flatMap(([command, { stdout }]) =>
    (Array.isArray(stdout) ? stdout : []).filter(line => typeof line === 'string' && line.includes('\t'))
      .flatMap(line => String(line).split('\t').map(field => [command, field] as const)))

  expect(fields.length).toBeGreaterThan(100)
  expect(fields.filter(([, field]) => field.includes(' ') && !WITH_SPACES.test(field))).toEqual([])
})
