import { describe, expect, it } from 'vitest'
import { addSummary, savedPercent } from '../src/terminal/add-summary.ts'
import type { PrintedRoot } from '../src/terminal/printed-add.ts'

const ROOT: PrintedRoot = {
  cid: `bagc${'a'.repeat(60)}`,
  plainCid: `bafy${'a'.repeat(55)}`,
  name: 'a.txt',
  size: 100_000,
  storedSize: 25_000n,
  ratio: 0.25,
  codec: 'zstd',
  readableWith: 'zstd -dc',
  hidden: 0,
  executables: 0,
  changed: { count: 0, first: '' },
  next: undefined,
  onlyHash: false,
  dryRun: false
}

const contentOf = (files: number, compressed: number): PrintedRoot['content'] =>
  ({ files, compressed, readableWith: { 'zstd -dc': compressed }, onlyIpfsz: 0 })

describe('addSummary', () => {
  it.each([undefined, 0, 80])('has 80 columns if the terminal says %s', columns => {
    expect(addSummary(ROOT, columns)).toBe([
      'a.txt: 97.7 KiB -> 24.4 KiB, 75 % saved',
      `  for IPFSz   ${ROOT.cid}`,
      `  for others  ${ROOT.plainCid}`,
      '  Others can pin it, and read it with zstd -dc'
    ].join('\n'))
  })

  it('says what others can do with it', () => {
    const { cid: plainCid } = ROOT

    expect(addSummary({ ...ROOT, readableWith: undefined }, 80))
      .toContain('\n  Others can pin it, but only IPFSz can read it')
    expect(addSummary({ ...ROOT, plainCid, codec: 'none' }, 80)).not.toContain('Others')
  })

  it.each([
    [[3, 3, { 'zstd -dc': 3 }, 0], 'Others can pin it, and read all 3 files with zstd -dc'],
    [[1, 1, { 'zstd -dc': 1 }, 0], 'Others can pin it, and read its file with zstd -dc'],
    [[3, 2, { 'zstd -dc': 2 }, 0], 'Others can pin it, and read all 3 files: 2 with zstd -dc, 1 as stored'],
    [[9, 6, { 'gzip -dc': 1, 'zstd -dc': 3 }, 2],
      'Others can pin it, and read 7 of 9 files: 3 with zstd -dc, 1 with gzip -dc, 3 as stored. ' +
        'Only IPFSz can read the other 2'],
    [[2, 1, {}, 1], 'Others can pin it, and read 1 of 2 files: 1 as stored. Only IPFSz can read the other one'],
    [[2, 2, {}, 2], 'Others can pin it, but only IPFSz can read its 2 files'],
    [[1, 1, {}, 1], 'Others can pin it, but only IPFSz can read its file']
  ] as const)('says how many files of a directory others can read, of %j', (counts, text) => {
    const [files, compressed, readableWith, onlyIpfsz] = counts
    const content = { files, compressed, readableWith, onlyIpfsz }

    expect(addSummary({ ...ROOT, readableWith: undefined, content }, 200)).toContain(`\n  ${text}`)
  })

  it.each([
    [{ new: 0, changed: 0, unchanged: 1 }, undefined, 'unchanged since it was added before'],
    [{ new: 0, changed: 1, unchanged: 0 }, undefined, 'changed since it was added before'],
    [{ new: 0, changed: 1, unchanged: 2 }, contentOf(3, 3), 'none new, 1 changed, 2 unchanged']
  ])('says what became of %j since it was added before', (known, content, text) => {
    expect(addSummary({ ...ROOT, known, content }, 80)).toContain(`\n  ${text}\n`)
  })

  it('puts sizes below a name that leaves no room for them', () => {
    const name = 'n'.repeat(60)

    expect(addSummary({ ...ROOT, name }, 80)).toMatch(/^n{60}:\n {2}97\.7 KiB -> 24\.4 KiB, 75 % saved\n/)
  })

  it('counts two columns for a character that may be wide', () => {
    expect(addSummary({ ...ROOT, name: '漢'.repeat(20) }, 80)).toMatch(/^漢{20}: 97/)
    expect(addSummary({ ...ROOT, name: '漢'.repeat(25) }, 80)).toMatch(/^漢{25}:\n/)
  })

  it('says what is new of a directory with an earlier version', () => {
    const tree = { ...ROOT, name: 'tree', content: contentOf(3, 2), newSize: 12_800 }

    expect(addSummary(tree, 80).split('\n').slice(0, 2)).toEqual([
      'tree: 97.7 KiB, 12.5 KiB newly stored',
      '  3 files, 2 compressed, stored in 24.4 KiB plus earlier versions'
    ])
  })

  it('says what is new of a file with an earlier version', () => {
    expect(addSummary({ ...ROOT, chosen: { zstd: 1 } }, 80)).toContain('\n  chosen: zstd\n')
    expect(addSummary({ ...ROOT, content: contentOf(4, 3), chosen: { none: 1, zstd: 3 } }, 80))
      .toContain('\n  chosen: zstd for 3 files, none for 1 file\n')
    expect(addSummary({ ...ROOT, newSize: 12_800 }, 80)).toMatch(/^a\.txt: 97\.7 KiB, 12\.5 KiB newly stored\n/)
  })

  it.each([
    [1, 'in/a changed while it was read: '],
    [3, 'in/a and 2 more changed while they were read: ']
  ])('says that %d files of a directory changed while they were read', (count, note) => {
    const tree = { ...ROOT, content: contentOf(4, 2), changed: { count, first: 'in/a' } }

    expect(addSummary(tree, 200)).toContain(`\n  ${note}parts of different versions may be stored`)
  })

  it('says that a file changed while it was read', () => {
    const changed = { count: 1, first: 'a.txt' }

    expect(addSummary({ ...ROOT, changed }, 200)).toContain('\n  changed while it was read: ')
  })

  it('says that nothing is saved by a file that grows', () => {
    expect(addSummary({ ...ROOT, storedSize: 100_001n }, 80)).toContain('97.7 KiB -> 97.7 KiB, nothing saved')
  })
})

describe('savedPercent', () => {
  it.each([
    [1000, 500, 50],
    [1000, 1, 99.9],
    [1_000_000, 1, 99.9],
    [1000, 2000, 0],
    [0, 0, 0]
  ])('of %i bytes, %i stored, is %f', (size, storedSize, percent) => {
    expect(savedPercent(size, storedSize)).toBe(percent)
  })
})
