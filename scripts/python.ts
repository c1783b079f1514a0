/**
 * Checks and tests the Python package, in a virtual environment of its own below node_modules. Run after a build:
 *
 *   node scripts/python.ts [--nightly] [ARGUMENT OF PYTEST...]
 *
 * --nightly  with the libraries that people use it with, which take a gigabyte
 *
 * PYTHON names the interpreter, python3 by default: 3.10 or newer, with the modules venv and ensurepip.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = dirname(import.meta.dirname)
const PROJECT = join(ROOT, 'python')
const args = process.argv.slice(2)
const nightly = args.includes('--nightly')
const python = process.env.PYTHON ?? 'python3'
const requirements = join(PROJECT, nightly ? 'requirements-nightly.txt' : 'requirements-test.txt')
const environment = join(ROOT, 'node_modules/.cache/ipfsz-python', nightly ? 'nightly' : 'short')
const bin = join(environment, process.platform === 'win32' ? 'Scripts' : 'bin')

/** Ends this process if the program fails. */
function run (program: string, ...rest: string[]): void {
  const { status, error } = spawnSync(program, rest, { cwd: PROJECT, stdio: 'inherit' })

  if (status !== 0) {
    console.error(`Failed: ${[program, ...rest].join(' ')}${error == null ? '' : ` (${error.message})`}`)
    process.exit(1)
  }
}

/** Changes if another environment is needed. */
function fingerprint (): string {
  const hash = createHash('sha256').update(python)

  for (const file of [join(PROJECT, 'pyproject.toml'), join(PROJECT, 'requirements-test.txt'), requirements]) {
    hash.update(readFileSync(file))
  }

  return hash.digest('hex')
}

const stamp = join(environment, 'fingerprint')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== fingerprint()) {
  rmSync(environment, { recursive: true, force: true })
  mkdirSync(dirname(environment), { recursive: true })
  run(python, '-m', 'venv', environment)
  run(join(bin, 'python'), '-m', 'pip', 'install', '--quiet', '--editable', '.[all]', '--requirement', requirements)
  writeFileSync(stamp, fingerprint())
}

if (!nightly) {
  run(join(bin, 'ruff'), 'check', '--no-cache', '.')
  run(join(bin, 'ruff'), 'format', '--no-cache', '--check', '.')
  run(join(bin, 'mypy'), '--no-incremental')
}

run(
  join(bin, 'python'), '-m', 'pytest', '-p', 'no:cacheprovider', '-m', nightly ? 'nightly' : 'not nightly',
  ...args.filter(arg => arg !== '--nightly')
)
