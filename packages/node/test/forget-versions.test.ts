import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { forgetVersions, listVersions } from '../src/history/index.ts'
import { rulesThatKeep } from '../src/history/keep-rules.ts'
import { openRepo } from '../src/handle/open-repo.ts'
import type { KeepRules } from '../src/history/index.ts'
import type { OpenRepo } from '../src/index.ts'

const DAY = 86_400_000

/** Dates in the time zone of the machine, in which days begin. */
const versionsAt = (
  ...dates: Array<[day: number, hour?: number, month?: number, year?: number]>
): Array<{ date: Date }> => dates.map(
  ([day, hour = 12, month = 0, year = 2026]) => ({ date: new Date(year, month, day, hour) })
)

async function openWith (...texts: string[]): Promise<{ repo: OpenRepo, path: string, cids: string[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-forget-'))
  const path = join(directory, 'repo')
  const repo = await openRepo(path)
  const cids: string[] = []
  onTestFinished(async () => {
    await repo.close()
    await rm(directory, { recursive: true, force: true })
  })

  for (const text of texts) {
    const { cid } = await repo.add(new TextEncoder().encode(text.repeat(500)), { name: 'a', base: 'latest' })
    cids.push(cid.toString())
  }

  return { repo, path, cids }
}

async function pinned (repo: OpenRepo): Promise<string[]> {
  return (await Array.fromAsync(repo.pins.ls())).map(({ cid }) => cid.toString()).toSorted()
}

describe('rulesThatKeep', () => {
  it.each<[KeepRules, string[]]>([
    [{ last: 2 }, ['last', 'last', '', '', '', '']],
    [{ hourly: 2 }, ['hourly', '', 'hourly', '', '', '']],
    [{ daily: 2 }, ['daily', '', '', 'daily', '', '']],
    [{ daily: 9 }, ['daily', '', '', 'daily', 'daily', 'daily']],
    // 2026-01-05 is a Monday
    [{ weekly: 2 }, ['weekly', '', '', '', 'weekly', '']],
    // of three weeks there are two, so the oldest version is kept too
    [{ weekly: 3 }, ['weekly', '', '', '', 'weekly', 'weekly']],
    [{ monthly: 2 }, ['monthly', '', '', '', '', 'monthly']],
    [{ yearly: 1 }, ['yearly', '', '', '', '', '']],
    [{ within: 2 * DAY }, ['within', 'within', 'within', 'within', '', '']],
    [{ last: 1, yearly: 5 }, ['last yearly', '', '', '', '', 'yearly']]
  ])('keeps with %j the newest version of each period', (rules, kept) => {
    const versions = versionsAt([7, 12], [7, 12], [7, 9], [6], [4], [30, 12, 11, 2025])

    expect(rulesThatKeep(versions, rules).map(names => names.join(' '))).toEqual(kept)
  })

  it('always keeps the newest version, and never more than a rule says', () => {
    const date = fc.date({ min: new Date(2000, 0), max: new Date(2030, 0), noInvalidDate: true })
    const dates = fc.array(date, { minLength: 1 })
    const rule = fc.constantFrom('last', 'hourly', 'daily', 'weekly', 'monthly', 'yearly')

    fc.assert(fc.property(dates, rule, fc.integer({ min: 1, max: 5 }), (dates, rule, number) => {
      const kept = rulesThatKeep(dates.map(date => ({ date })), { [rule]: number })

      expect(kept[0]).toEqual([rule])
      expect(kept.filter(names => names.length > 0).length).toBeLessThanOrEqual(number)
    }))
  })
})

describe('forgetVersions', () => {
  it('forgets and unpins what no rule keeps, and a collection leaves the rest readable', async () => {
    const { repo, cids: [first, second, third] } = await openWith('one two three ', 'one two three four ', 'five ')
    const judged = await repo.history.retain('a', { last: 2 })

    expect(judged.map(({ cid, keptBy }) => [cid.toString(), keptBy])).toEqual([
      [third, ['last']], [second, ['last']], [first, []]
    ])
    expect(await pinned(repo)).toEqual([second, third].toSorted())
    await repo.collect()

    for (const { cid } of judged.slice(0, 2)) {
      expect(await repo.verify(cid)).toMatchObject({ files: 1 })
    }
  })

  it('changes nothing in a dry run', async () => {
    const { repo, cids } = await openWith('one ', 'two ')
    const judged = await repo.history.retain('a', { last: 1 }, { dryRun: true })

    expect(judged.map(({ keptBy }) => keptBy.length)).toEqual([1, 0])
    expect(await pinned(repo)).toEqual(cids.toSorted())
    expect(await Array.fromAsync(repo.history.versions('a'))).toHaveLength(2)
  })

  it('leaves a pin that another version needs, of the same name or of another', async () => {
    const { repo, cids: [one, two] } = await openWith('one ', 'two ', 'one ')
    await repo.add(new TextEncoder().encode('two '.repeat(500)), { name: 'b', base: 'latest' })

    expect(await repo.history.retain('a', { last: 1 })).toHaveLength(3)
    expect(await pinned(repo)).toEqual([one, two].toSorted())
    expect(await Array.fromAsync(repo.history.versions('a'))).toHaveLength(1)
  })

  it('lets no version that is not pinned take the place of one that is', async () => {
    const { repo, cids: [one, two] } = await openWith('one ', 'two ')
    await repo.pins.rm(two)
    const judged = await repo.history.retain('a', { daily: 1 })

    expect(judged.map(({ cid, keptBy }) => [cid.toString(), keptBy])).toEqual([[two, []], [one, ['daily']]])
    expect(await pinned(repo)).toEqual([one])
  })

  it('goes on where it was killed: a version whose pin is gone is forgotten', async () => {
    const { repo, path, cids: [one] } = await openWith('one ', 'two ')
    await repo.pins.rm(one)
    const context = { repo: path, signal: AbortSignal.timeout(60_000), bootstrap: [] }

    expect((await forgetVersions(context, 'a', { last: 5 })).map(({ keptBy }) => keptBy)).toEqual([['last'], []])
    expect(await Array.fromAsync(listVersions(context, 'a'))).toHaveLength(1)
  })

  it.each([{}, { last: 0 }, { daily: 0, weekly: 0 }])('refuses rules that keep nothing: %j', async rules => {
    const { repo } = await openWith('one ')

    await expect(repo.history.retain('a', rules)).rejects.toMatchObject({ name: 'UsageError', problem: 'keeps-none' })
    await expect(repo.history.retain('b', { last: 1 })).rejects.toMatchObject({ name: 'NoHistoryError' })
    expect(await pinned(repo)).toHaveLength(1)
  })
})
