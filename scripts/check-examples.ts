/**
 * Type-checks every TypeScript example: the fenced blocks of the documents, and
 * those after `@example` in doc comments. Also checks the links between documents.
 *
 * Each example becomes a file below dist/, which git ignores. There, imports of `@ipfsz/core`
 * and the others resolve as they do for a user. Run after a build.
 */
import { spawnSync } from 'node:child_process'
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brokenLinks } from './broken-links.ts'

const ROOT = dirname(import.meta.dirname)
const TSC = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin', 'tsc')
const DOCUMENTS = ['README.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/*/README.md']
const LINKED = [...DOCUMENTS, '*.md', 'site/README.md']
const SOURCES = ['packages/*/src/**/*.ts']

const FENCE = /^\s*```(\w*)/
const LANGUAGES = new Set(['ts', 'typescript'])

const CONFIG = {
  extends: join(ROOT, 'tsconfig.base.json'),
  compilerOptions: {
    noEmit: true,
    rewriteRelativeImportExtensions: false,
    noUnusedLocals: false,
    moduleDetection: 'force',
    strict: true,
    // as strict as the project of a reader may be
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    module: 'nodenext'
  },
  include: ['*.ts']
}

interface Example {
  file: string
  /** The number of its first line in the file, counted from 1. */
  line: number
  code: string[]
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
    const [fence, language] = FENCE.exec(line) ?? []

    if (fence == null) {
      open?.code.push(line)
    } else if (inFence) {
      inFence = false
      open = undefined
    } else {
      inFence = true

      if (LANGUAGES.has(language)) {
        open = { file, line: i + 2, code: [] }
        examples.push(open)
      }
    }
  }

  return examples
}

function readExamples (): Example[] {
  const lines = (file: string): string[] => readFileSync(join(ROOT, file), 'utf8').split('\n')
  const documents = globSync(DOCUMENTS, { cwd: ROOT }).toSorted()
  const sources = globSync(SOURCES, { cwd: ROOT }).toSorted()

  return [
    ...documents.flatMap(file => findExamples(file, lines(file))),
    ...sources.flatMap(file => findExamples(file, exampleLines(lines(file))))
  ]
}

/** The errors of tsc, with the file and line of each example. Empty without errors. */
function check (examples: readonly Example[]): string {
  const parent = join(ROOT, 'dist')
  mkdirSync(parent, { recursive: true })
  const directory = mkdtempSync(join(parent, 'examples-'))

  try {
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(CONFIG))
    examples.forEach(({ code }, i) => { writeFileSync(join(directory, `${i}.ts`), code.join('\n')) })

    const args = [TSC, '--project', directory, '--pretty', 'false']
    const { status, stdout, stderr, error } = spawnSync(process.execPath, args, { cwd: directory, encoding: 'utf8' })
    const said = stdout.replaceAll(/^(\d+)\.ts\((\d+),(\d+)\)/gm, (_, i, line, column) =>
      `${examples[i].file}:${examples[i].line + Number(line) - 1}:${column}`)

    return status === 0 ? '' : `${said}${stderr}${error?.message ?? ''}` || `tsc ended with ${status}`
  } finally {
    rmSync(directory, { recursive: true })

    if (readdirSync(parent).length === 0) {
      rmdirSync(parent)
    }
  }
}

const examples = readExamples()
const failures = check(examples)

const broken = brokenLinks(ROOT, LINKED)
const counts = [
  `${examples.length} examples checked${failures === '' ? '' : ', some do not compile'}`,
  `Links between documents checked${broken.length === 0 ? '' : `, ${broken.length} are broken`}`
]

console.info([...failures === '' ? [] : [failures.trimEnd()], ...broken, ...counts].join('\n'))
process.exitCode = failures === '' && broken.length === 0 ? 0 : 1
