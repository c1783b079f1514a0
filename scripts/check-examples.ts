/**
 * Type-checks every TypeScript example: the fenced blocks of the documents, and
 * those after `@example` in doc comments. Also checks the links between documents.
 *
 * Each example becomes a file below dist/, which git ignores. There, imports of `@ipfsz/core`
 * and the others resolve as they do for a user. Run after a build.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brokenLinks } from './broken-links.ts'
import { DOCUMENTS, readExamples } from './examples.ts'
import type { Example } from './examples.ts'

const ROOT = dirname(import.meta.dirname)
const TSC = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin', 'tsc')
const LINKED = [...DOCUMENTS, '*.md', 'site/README.md']

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
