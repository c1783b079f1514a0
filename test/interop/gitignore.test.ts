import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { treeSource } from '../../packages/node/dist/disk/tree-source.js'

const run = promisify(execFile)

/** The names of files and directories. git compares bytes: of `é` two, of `à` one that Unicode takes for a space. */
const names = [
  'a', 'b', 'ab', 'B', 'build', 'x.log', 'a b', '[a]', 'a?', '!a', '#a',
  'é', 'à', 'aé', '\u00a0', 'ab\u3000', '\ufffd', '🦆'
]
/** Parts of patterns that match some of them. */
const parts = [
  'a', 'b', 'ab', 'build', 'x.log', '*', '**', '*.log', 'a*', '?', '[ab]', '[!a]*', 'a\\ b', '\\[a]',
  'é', 'à', '*é', '??', '???', '????', '[é]', '[é][é]', '[!é]?', '[a-é]*', 'a?', 'a??', '\u00a0', '\u3000', '?\u00a0',
  '[[:alpha:]]', '[[:upper:]]', '[^[:alpha:]]*', '[[:alpha:]é]?', '🦆', '[🦆]', '\\é', '[\\é]?', '[B-C]', '[b-a]'
]

const name = fc.constantFrom(...names)
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map(names => names.join('/'))
const pattern = fc.tuple(
  fc.constantFrom('', '', '', '!'),
  fc.constantFrom('', '', '/'),
  fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 3 }).map(parts => parts.join('/')),
  fc.constantFrom('', '', '/', ' ')
).map(parts => parts.join(''))
const line = fc.oneof({ weight: 9, arbitrary: pattern }, { weight: 1, arbitrary: fc.constantFrom('# x', '') })
const file = fc.array(line, { minLength: 1, maxLength: 4 })
const tree = fc.record({
  files: fc.array(path, { minLength: 1, maxLength: 12 }),
  /** By directory, from 0 to 2 levels deep. */
  patterns: fc.array(fc.tuple(fc.array(name, { maxLength: 2 }).map(names => names.join('/')), file), {
    minLength: 1,
    maxLength: 3
  }),
  /** The directory to add, which may be below the top of the repository. */
  added: fc.constantFrom('', '', 'a', 'build/a')
})

async function write (path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  } catch {
    // the name of a file is that of a directory, too
  }
}

/** The files that git does not ignore below a directory. */
async function byGit (repository: string, directory: string, home: string): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '-z', '--others', '--exclude-standard', '.'], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', GIT_CEILING_DIRECTORIES: dirname(repository) }
  })

  return stdout.split('\0').filter(Boolean).toSorted()
}

async function isIgnored (repository: string, directory: string): Promise<boolean> {
  return run('git', ['check-ignore', '-q', `${directory}/`], { cwd: repository }).then(() => true, () => false)
}

/** The files that ipfsz adds. */
async function byIpfsz (directory: string): Promise<string[]> {
  const found: string[] = []
  const candidates = treeSource(directory, 'tree', {
    hidden: true,
    ignore: () => false,
    gitignore: true,
    preserve: { mode: false, mtime: false },
    signal: new AbortController().signal,
    onRead () {},
    onHidden () {},
    onExecutable () {},
    onChanged () {}
  })

  for await (const { path = '', content } of candidates as AsyncIterable<{ path?: string, content?: unknown }>) {
    if (content != null) {
      found.push(path.slice('tree/'.length))
    }
  }

  return found.toSorted()
}

describe('ipfsz add --gitignore', () => {
  it('adds the files that git would add', { tags: 'nightly' }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-gitignore-'))
    onTestFinished(async () => { await rm(directory, { recursive: true }) })
    let runs = 0

    await run('git', ['init', '-q', directory], { env: { PATH: process.env.PATH, HOME: directory } })

    await fc.assert(fc.asyncProperty(tree, async ({ files, patterns, added }) => {
      const repository = join(directory, `${runs++}`)
      const from = join(repository, added)
      await mkdir(from, { recursive: true })
      await writeFile(join(repository, '.git'), `gitdir: ${join(directory, '.git')}\n`)

      for (const file of files) {
        await write(join(repository, file), 'x')
      }

      for (const [place, lines] of patterns) {
        await write(join(repository, place, '.gitignore'), `${lines.join('\n')}\n`)
      }

      // git adds nothing from a directory that is ignored itself
      fc.pre(added === '' || !await isIgnored(repository, from))

      expect(await byIpfsz(from)).toEqual(await byGit(repository, from, directory))
    }), { numRuns: 60 })
  })
})
