import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = dirname(import.meta.dirname)

/** The documents with examples. */
export const DOCUMENTS = ['README.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/*/README.md']
const SOURCES = ['packages/*/src/**/*.ts']

const FENCE = /^\s*```(\w*)(.*)/
const LANGUAGES = new Set(['ts', 'typescript'])

export interface Example {
  file: string
  /** The number of its first line in the file, counted from 1. */
  line: number
  code: string[]
  /** What its info string says after the language. */
  info: string
}

/** The lines of doc comments after an `@example`, without their stars. All other lines are empty. */
function exampleLines (lines: readonly string[]): string[] {
  let inComment = false
  let inExample = false

  return lines.map(line => {
    if (/^\s*\/\*\*/.test(line)) {
      inComment = true
      inExample = false
    }

    const [, tag] = /^\s*\* @(\w+)/.exec(line) ?? []
    inExample = inComment && (tag == null ? inExample : tag === 'example')
    inComment &&= !line.includes('*/')

    return inExample ? line.replace(/^\s*\* ?/, '') : ''
  })
}

function findExamples (file: string, lines: readonly string[]): Example[] {
  const examples: Example[] = []
  let open: Example | undefined
  let inFence = false

  for (const [i, line] of lines.entries()) {
    const [fence, language, info] = FENCE.exec(line) ?? []

    if (fence == null) {
      open?.code.push(line)
    } else if (inFence) {
      inFence = false
      open = undefined
    } else {
      inFence = true

      if (LANGUAGES.has(language)) {
        open = { file, line: i + 2, code: [], info: info.trim() }
        examples.push(open)
      }
    }
  }

  return examples
}

/** Every TypeScript example of the documents, and of the doc comments of the packages. */
export function readExamples (): Example[] {
  const lines = (file: string): string[] => readFileSync(join(ROOT, file), 'utf8').split('\n')
  const documents = globSync(DOCUMENTS, { cwd: ROOT }).toSorted()
  const sources = globSync(SOURCES, { cwd: ROOT }).toSorted()

  return [
    ...documents.flatMap(file => findExamples(file, lines(file))),
    ...sources.flatMap(file => findExamples(file, exampleLines(lines(file))))
  ]
}
