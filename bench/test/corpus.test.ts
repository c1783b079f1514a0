import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fileOfSize, incompressibleFiles, mixedFile, repeatFile, trees, withCorpus } from '../support/corpus.ts'
import { generateTree, GENERATORS } from '../support/generate.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-bench-test-'))
})

afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})

describe('the generated corpus', () => {
  it('is the same on every machine', () => {
    const hash = createHash('sha256')

    for (const [name, make] of Object.entries(GENERATORS)) {
      hash.update(name).update(make(100_000))
    }

    for (const [name, bytes] of generateTree(5)) {
      hash.update(name).update(bytes)
    }

    expect(hash.digest('hex')).to.equal('50f62a35c580576f32de18a42d318b7c38762e724ca3729832f17d1c7f79ed25')
  })

  it.each(Object.entries(GENERATORS))('%s compresses as well as real files of its kind', (name, make) => {
    const bytes = make(500_000)
    const ratio = zstdCompressSync(bytes).byteLength / bytes.byteLength

    expect(bytes.byteLength).to.equal(500_000)
    expect(ratio).to.be.within(...(name === 'random.bin' ? [1, 1.001] : [0.15, 0.5]) as [number, number])
  })

  it('has files that compress, one that does not, and a tree', async () => {
    await withCorpus({ smoke: true }, async corpus => {
      const { size } = await mixedFile(corpus, { smoke: true })

      expect(size).to.equal(5_000_000)
      expect(incompressibleFiles(corpus).map(({ name }) => name)).to.deep.equal(['random.bin'])
      expect(trees(corpus).map(({ name }) => name)).to.deep.equal(['tree'])
      expect((await stat(trees(corpus)[0].directory)).isDirectory()).to.equal(true)
    })
  })
})

describe('a corpus given with --corpus', () => {
  it('is used unchanged, unless --file names a file', async () => {
    await writeFile(join(directory, 'notes.txt'), 'some notes')
    await writeFile(join(directory, 'README.md'), 'about them')

    await withCorpus({ smoke: false, corpus: directory }, async corpus => {
      expect(corpus.files.map(({ group, name }) => `${group}/${name}`)).to.deep.equal(['/README.md', 'files/notes.txt'])
      expect(await mixedFile(corpus, { smoke: false })).to.include({ size: 10 })

      const file = join(directory, 'README.md')
      expect(await mixedFile(corpus, { smoke: false, file })).to.deep.equal({ path: file, size: 10, name: file })
    })
  })

  it.each([true, false])('is not reported as the source when --file names a file, smoke: %s', async smoke => {
    const file = join(directory, 'notes.txt')

    await withCorpus({ smoke, file, ...smoke ? {} : { corpus: directory } }, async ({ source }) => {
      expect(source).to.equal(file)
    })
  })

  it('refuses a missing directory', async () => {
    await expect(withCorpus({ smoke: false, corpus: join(directory, 'missing') }, async () => {}))
      .rejects.toThrow('missing')
  })

  it.each([true, false])('includes targets of symlinks, but no broken or circular ones, smoke: %s', async smoke => {
    await writeFile(join(directory, 'notes.txt'), 'some notes')
    await symlink('notes.txt', join(directory, 'link.txt'))
    await symlink('missing', join(directory, 'nowhere'))
    await symlink('.', join(directory, 'circle'))

    await withCorpus({ smoke, corpus: directory }, async ({ files }) => {
      expect(files.map(({ name, size }) => [name, size])).to.deep.equal([['link.txt', 10], ['notes.txt', 10]])
    })
  })

  it('refuses to concatenate files if none of them compresses', async () => {
    await mkdir(join(directory, 'incompressible'))
    await writeFile(join(directory, 'incompressible/random.bin'), 'x')
    await writeFile(join(directory, 'empty.txt'), '')

    await withCorpus({ smoke: false, corpus: directory }, async corpus => {
      await expect(mixedFile(corpus, { smoke: false })).rejects.toThrow('no file')
    })
  })
})

describe('a file of a given size', () => {
  it.each([[1000], [300_000], [2_500_000]])('has %i bytes, whatever the size of its source', async size => {
    const path = join(directory, 'source')
    await writeFile(path, GENERATORS['prose.txt'](1_000_000))
    const file = await fileOfSize({ source: '', files: [], directory }, { path, size: 1_000_000 }, size)

    expect((await stat(file)).size).to.equal(size)
  })

  it('takes pieces from all over a larger source', async () => {
    const path = join(directory, 'source')
    await writeFile(path, Buffer.concat(['a', 'b', 'c', 'd'].map(letter => Buffer.alloc(1_000_000, letter))))
    const file = await fileOfSize({ source: '', files: [], directory }, { path, size: 4_000_000 }, 2_000_000)

    expect(new Set((await readFile(file)).toString())).to.deep.equal(new Set(['a', 'b', 'c', 'd']))
  })

  it('repeats a smaller source, each time with a different first line', async () => {
    const path = join(directory, 'source')
    await writeFile(path, 'abc')

    expect(Buffer.concat(await Array.fromAsync(repeatFile(path, 12))).toString()).to.equal('0\nabc1\nabc2\n')
  })
})
