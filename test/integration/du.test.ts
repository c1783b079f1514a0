import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CarReader } from '@ipld/car'
import { describe, expect } from 'vitest'
import { noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { listBlocks, removeBlock } from '../support/stored-blocks.ts'
import type { Sandbox } from './run-cli.ts'

interface Row {
  cid?: string
  name: string
  size: number
  storedSize: number
  blocks: number
}

async function du ({ run }: Sandbox, ...args: string[]): Promise<Row[]> {
  const result = await run(['du', '--json', ...args])

  expectSuccess(result)

  return parseLines(result.stdout) as unknown as Row[]
}

async function writeTree ({ directory, write }: Sandbox): Promise<void> {
  await mkdir(join(directory, 'tree/sub'), { recursive: true })
  await write('tree/a.txt', text(3_000_000))
  await write('tree/noise', noise(3_000_000))
  await write('tree/sub/b.txt', text(20_000))
}

/** The blocks that a CAR of a DAG has, and their bytes. */
async function exported ({ run }: Sandbox, cid: string): Promise<{ storedSize: number, blocks: number }> {
  const { stdout } = await run(['car', 'export', cid, '-o', '-'])
  const blocks = await Array.fromAsync((await CarReader.fromBytes(stdout)).blocks())

  return { blocks: blocks.length, storedSize: blocks.reduce((sum, { bytes }) => sum + bytes.byteLength, 0) }
}

describe.concurrent('ipfsz du', () => {
  it('shows what each entry of a directory takes, and all of it', async ({ sandbox }) => {
    await writeTree(sandbox)
    const cid = (await sandbox.run(['add', '-Q', 'tree'])).stdout.toString().trim()
    const rows = await du(sandbox, cid)
    const total = rows[3]

    expect(rows.map(({ name }) => name)).toEqual(['a.txt', 'noise', 'sub'].map(name => `${cid}/${name}`).concat(cid))
    expect(rows.map(({ size }) => size)).toEqual([3_000_000, 3_000_000, 20_000, 6_020_000])
    expect(total).toMatchObject(await exported(sandbox, cid))
    expect(rows[0].storedSize).toBeLessThan(1_500_000)
    expect(await du(sandbox, '-s', cid)).toEqual([total])
    // a part, by the plain CID too
    const plain = (await sandbox.run(['cid', 'plain', cid])).stdout.toString().trim()
    expect(await du(sandbox, `${plain}/sub/b.txt`)).toMatchObject([{ name: `${plain}/sub/b.txt`, size: 20_000 }])
    expect((await sandbox.run(['du', `${cid}/noise`])).stdout.toString())
      .toBe(`3000000\t3000159\t${cid}/noise\n`)
    expect((await sandbox.run(['du', '--human', `${cid}/noise`])).stdout.toString())
      .toBe(`2.86 MiB\t2.86 MiB\t${cid}/noise\n`)
    // the original size first, as with ls
    expect((await sandbox.run(['du', `${cid}/a.txt`])).stdout.toString()).toMatch(/^3000000\t\d+\t/)
  })

  it('counts each block and each file once, however often they occur', async ({ sandbox }) => {
    await writeTree(sandbox)
    await cp(join(sandbox.directory, 'tree/sub'), join(sandbox.directory, 'tree/twin'), { recursive: true })
    await cp(join(sandbox.directory, 'tree/noise'), join(sandbox.directory, 'tree/zz'))
    const cid = (await sandbox.run(['add', '-Q', 'tree'])).stdout.toString().trim()
    await sandbox.add(noise(3_000_000))
    const rows = await du(sandbox, cid)
    const { storedSize } = await exported(sandbox, cid)

    expect(rows.filter(({ name }) => /twin|zz/.test(name)).map(({ size, blocks }) => [size, blocks]))
      .toEqual([[0, 0], [0, 0]])
    expect(rows.at(-1)).toMatchObject({ size: 6_020_000, storedSize })

    // of all pins, too: the second holds nothing new
    const pins = await du(sandbox, '-s')
    expect(pins.at(-1)).toMatchObject({ name: 'total', size: 6_020_000, storedSize })
    expect(pins).toHaveLength(3)
  })

  it('takes the names of pins', async ({ sandbox }) => {
    await writeTree(sandbox)
    await sandbox.run(['add', '-Q', 'tree', 'tree/a.txt'])

    expect(await du(sandbox, '-s', 'tree')).toMatchObject([{ name: 'tree', size: 6_020_000 }])
    expect(await du(sandbox, 'a.txt', 'tree', '-s'))
      .toMatchObject([{ name: 'a.txt', size: 3_000_000 }, { name: 'tree', size: 3_020_000 }, { name: 'total' }])
  })

  it('shows the others if one is not complete', async ({ sandbox }) => {
    const lost = await sandbox.add(text(10_000))
    await Promise.all((await listBlocks(sandbox.repo)).map(async block => removeBlock(sandbox.repo, block)))
    const kept = await sandbox.add(noise(10_000))
    const result = await sandbox.run(['du', '--json'])

    expect(result.code).toBe(1)
    expect(parseLines(result.stdout)).toMatchObject([{ cid: kept, size: 10_000 }, { name: 'total', size: 10_000 }])
    expect(result.stderr).toContain(lost)
    expectFailure(await sandbox.run(['du', lost]), 1)
  })

  it.for([['nothing', 2], ['bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354', 1]] as const)(
    'refuses %s',
    async ([target, code], { sandbox }) => {
      await sandbox.add(text(100))

      expectFailure(await sandbox.run(['du', target]), code)
    }
  )
})
