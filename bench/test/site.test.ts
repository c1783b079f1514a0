import { describe, expect, it } from 'vitest'
import { fromSite } from '../report/site-losses.ts'
import { siteTargets } from '../report/targets/sites.ts'
import { FAILED, joinTables, NOT_MEASURED } from '../support/site/join.ts'
import { SMOKE } from '../support/site/plans.ts'
import { Schedule } from '../support/site/schedule.ts'
import { toRows } from '../support/site/to-rows.ts'
import { runKilled, runTrial, warmUp } from '../support/site/trial.ts'
import type { Row, Table } from '../benchmark.ts'
import type { Job } from '../support/site/messages.ts'
import type { Plan } from '../support/site/plans.ts'
import type { Side } from '../support/site/side.ts'
import type { Measured, Objects, Trial } from '../support/site/trial.ts'

const OBJECTS: Objects = { size: 262_144, compressible: true, atATime: 2, trials: 2 }

const SIDE: Side = {
  id: 'a',
  name: 'A',
  api: 'node',
  doors: ['write'],
  compressed: true,
  startSeconds: 0,
  software: async () => [],
  missing: async () => undefined,
  start: async () => { throw new Error('not in this test') }
}

/** Clients that answer every job at once, and write down what they were asked. */
function recordingTrial (objects: Objects, log: Array<Job & { site: number }>): Trial {
  return {
    wan: {
      on: () => ['true', []],
      traffic: async () => ({ betweenSites: 1000 * log.length, dropped: 0 }),
      cut: async () => {},
      heal: async () => {},
      close: async () => {}
    },
    clients: {
      run: async (site, job) => {
        log.push({ ...job, site })

        return job.items.map(({ seed }) => ({ wall: 10, ...job.kind === 'read' ? {} : { cid: `cid-${seed}` } }))
      },
      close: async () => {}
    },
    side: SIDE,
    running: { reconnect: async () => {}, close: async () => {} },
    sites: 3,
    nodes: 2,
    objects,
    seed: 1_000_000,
    idle: 0,
    settle: 0
  }
}

function row (side: string, phase: string, measured?: string): Row {
  return { side, object: '256 KiB of text', phase, ...measured == null ? {} : { measured } }
}

function failed (side: string, why: string): Table {
  return { title: FAILED, rows: [{ side, why, measured: 'now' }] }
}

describe('runTrial', () => {
  it('has one object in flight if there is one at a time, and reads it by both nodes of each site', async () => {
    const jobs: Array<Job & { site: number }> = []
    const measured = await runTrial(recordingTrial({ ...OBJECTS, atATime: 1, trials: 4 }, jobs))
    const nodesOf = (site: number, kind: Job['kind']): string[] =>
      jobs.filter(job => job.site === site && job.kind === kind).flatMap(({ items }) => items.map(({ node }) => node))

    expect(jobs.every(({ items }) => items.length === 1)).to.equal(true)
    expect(measured.map(({ phase, outcomes }) => [phase, outcomes.length])).to.deep.equal([
      ['write', 4], ['read in the site', 4], ['read from another site', 4], ['read again', 4], ['read while cut off', 4]
    ])
    expect(nodesOf(1, 'read').slice(0, 4)).to.deep.equal(['10.88.1.1', '10.88.1.2', '10.88.1.2', '10.88.1.1'])
    expect(nodesOf(2, 'read')).to.deep.equal([
      '10.88.2.1', '10.88.2.2', '10.88.2.2', '10.88.2.1', '10.88.2.2', '10.88.2.1', '10.88.2.1', '10.88.2.2'
    ])
  })

  it('measures each door of a side, and reads what went through the first', async () => {
    const jobs: Array<Job & { site: number }> = []
    const trial = recordingTrial({ ...OBJECTS, atATime: 1, trials: 1 }, jobs)
    const measured = await runTrial({ ...trial, side: { ...SIDE, doors: ['write by a command', 'write'] } })
    const [byCommand, byApi, read] = jobs

    expect([byCommand, byApi, read].map(({ kind }) => kind)).to.deep.equal(['write by a command', 'write', 'read'])
    expect(read.items[0].seed).to.equal(byCommand.items[0].seed)
    expect(measured.map(({ phase }) => phase).slice(0, 2)).to.deep.equal(['write by a command', 'write'])
    // what is written to be read while a site is cut off, too
    expect(jobs.filter(({ kind }) => kind === 'write')).to.have.length(1)
  })

  it('reads nothing of a side that only writes', async () => {
    const jobs: Array<Job & { site: number }> = []
    const trial = recordingTrial(OBJECTS, jobs)
    trial.side = { ...SIDE, onlyWrites: true }
    const measured = [await warmUp({ ...trial, seed: 0 }, 1), await runTrial(trial), await runKilled(trial)].flat()

    expect(measured.map(({ phase }) => phase)).to.deep.equal(['write', 'write', 'write, a storage process killed'])
    expect(new Set(jobs.map(({ kind }) => kind))).to.deep.equal(new Set(['write']))
  })

  it('says whether the node that was asked had written the object', async () => {
    const trial = recordingTrial({ ...OBJECTS, atATime: 1, trials: 4 }, [])
    const [, inSite, remote] = await runTrial(trial)

    expect(inSite.outcomes.map(({ byWriter }) => byWriter)).to.deep.equal([true, true, false, false])
    expect(remote.outcomes.some(({ byWriter }) => byWriter)).to.equal(false)
  })

  it('reads only what was written, and writes nothing twice', async () => {
    const jobs: Array<Job & { site: number }> = []
    const trial = recordingTrial(OBJECTS, jobs)
    trial.side = { ...SIDE, doors: ['write', 'write by a command'] }
    await warmUp({ ...trial, seed: 0 }, 2)
    await runTrial(trial)
    const written = jobs.filter(({ kind }) => kind !== 'read').flatMap(({ items }) => items.map(({ seed }) => seed))
    const read = jobs.filter(({ kind }) => kind === 'read').flatMap(({ items }) => items)

    expect(new Set(written).size).to.equal(written.length)
    expect(read.every(({ seed, cid }) => cid === `cid-${seed}` && written.includes(seed))).to.equal(true)
  })
})

describe('toRows', () => {
  it('tells the bytes of remote reads as how many times what is stored', () => {
    const measured: Measured[] = (['write', 'read from another site'] as const).map(phase => ({
      phase, bytes: 300_000, outcomes: [{ wall: 100 }, { wall: 300 }, { wall: 5, failure: 'gone' }]
    }))
    const [write, remote] = toRows({ side: SIDE, objects: OBJECTS, measured, storedSize: 80_000, when: 'today' })

    expect(write).to.include({ 'seconds, median': 0.2, 'times the bytes stored': '-', failed: '1 of 3: gone' })
    expect(remote).to.include({ 'MB between sites, of 100 objects': 10, 'times the bytes stored': 1.25 })
  })

  it('tells reads in the site by the node that wrote an object from those by another, with the time of each', () => {
    const measured: Measured[] = [{
      phase: 'read in the site',
      bytes: 3000,
      outcomes: [
        { wall: 20.4, byWriter: true }, { wall: 40, byWriter: false }, { wall: 9, byWriter: false, failure: 'gone' }
      ]
    }]
    const objects = { ...OBJECTS, atATime: 1 }
    const rows = toRows({ side: SIDE, objects, measured, storedSize: 80_000, when: 'today' })

    expect(rows.map(row => [row.objects, row['seconds, median'], row['ms, each object']])).to.deep.equal([
      [3, 0.0302, '20 40 failed'], [1, 0.0204, '20'], [2, 0.04, '40 failed']
    ])
    expect(rows.map(row => row['MB between sites, of 100 objects'])).to.deep.equal([0.1, '-', '-'])
  })

  it('has a row for a phase in which all failed', () => {
    const measured: Measured[] = [{ phase: 'write', bytes: 0, outcomes: [{ wall: 5, failure: 'gone' }] }]

    expect(toRows({ side: SIDE, objects: OBJECTS, measured, storedSize: 80_000, when: 'today' })).to.have.length(1)
      .and.property('0').that.includes({ 'seconds, median': '-', failed: '1 of 1: gone' })
  })
})

describe('Schedule', () => {
  const slow: Side = { ...SIDE, startSeconds: 500 }
  const plan: Plan = { ...SMOKE, rounds: 2, seconds: 100 }

  it('announces all rounds of all sides, with the starts of their storage', () => {
    expect(new Schedule(plan, [SIDE, slow]).announce()).to.match(/^2 sides, 2 times: about 24 minutes /)
  })

  it('gives a side several times as long as it should take, and a quick one a few minutes', () => {
    const schedule = new Schedule(plan, [SIDE, slow])

    expect([SIDE, slow].map(side => schedule.timeout(side))).to.deep.equal([300_000, 1_800_000])
    expect(new Schedule({ ...plan, seconds: 1 }, [SIDE]).timeout(SIDE)).to.equal(300_000)
  })

  it('has nothing left of a side that failed', () => {
    expect(new Schedule(plan, [SIDE]).done(SIDE, true)).to.match(/: about 0 minutes left$/)
  })
})

describe('joinTables', () => {
  it('keeps that a side failed until it is measured again', () => {
    const earlier = [{ title: '50 ms', rows: [row('A', 'write', 'first')] }, failed('A', 'too long')]
    const of = (later: Table[]): Row[] =>
      joinTables(earlier, later, ['A', 'B']).filter(({ title }) => title === FAILED).flatMap(({ rows }) => rows)

    expect(of([failed('B', 'lost')]).map(({ side }) => side)).to.deep.equal(['A', 'B'])
    expect(of([failed('A', 'lost')]).map(({ why }) => why)).to.deep.equal(['lost'])
    expect(of([{ title: '50 ms', rows: [row('A', 'write', 'second')] }])).to.deep.equal([])
  })

  it('keeps the later of two rows about the same, all others, and the order of sides and phases', () => {
    const ownRead = 'read in the site, by the node that wrote it'
    const earlier = [{ title: '50 ms', rows: [row('A', 'write', 'first'), row('C', 'write', 'first')] }]
    const later = [
      {
        title: '50 ms',
        rows: [
          row('B', 'write', 'second'), row('A', 'read again', 'second'), row('A', ownRead, 'second'),
          row('A', 'write', 'second')
        ]
      },
      { title: '100 ms', rows: [row('A', 'write', 'second')] }
    ]

    expect(joinTables(earlier, later, ['A', 'B', 'C'])).to.deep.equal([
      {
        title: '50 ms',
        rows: [
          row('A', 'write', 'second'), row('A', ownRead, 'second'), row('A', 'read again', 'second'),
          row('B', 'write', 'second'), row('C', 'write', 'first')
        ]
      },
      { title: '100 ms', rows: [row('A', 'write', 'second')] }
    ])
  })

  it('drops what does not say when it was measured, and that a side is missing once it was measured', () => {
    const earlier = [
      { title: '50 ms', rows: [row('A', 'write')] },
      { title: NOT_MEASURED, rows: [{ side: 'A', measured: 'first' }, { side: 'B', measured: 'first' }] }
    ]

    const later = [{ title: '50 ms', rows: [row('A', 'read again', 'second')] }]

    expect(joinTables(earlier, later, ['A', 'B'])).to.deep.equal([
      { title: '50 ms', rows: [row('A', 'read again', 'second')] },
      { title: NOT_MEASURED, rows: [{ side: 'B', measured: 'first' }] }
    ])
  })
})

function measuredRow (side: string, phase: string, seconds: number): Row {
  return {
    ...row(side, phase, 'now'),
    'seconds, median': seconds,
    'MB between sites, of 100 objects': 0.5,
    'times the bytes stored': phase === 'read from another site' ? 1.04 : '-'
  }
}

describe('the report on sites', () => {
  const PLACE = '3 sites of 2 nodes, 50 ms between sites'
  const sides = ['Kubo, own stores, peering in the site', 'ipfsz, shared directory']
  const rows = [
    ...sides.map((side, i) => measuredRow(side, 'write', 0.1 + 0.1 * i)),
    ...sides.map((side, i) => measuredRow(side, 'read in the site', 0.1 - 0.05 * i)),
    ...sides.map(side => measuredRow(side, 'read in the site, by the node that wrote it', 0.1)),
    ...sides.map((side, i) => measuredRow(side, 'read in the site, by another node', 0.3 - 0.2 * i)),
    ...sides.map(side => measuredRow(side, 'read from another site', 0.3))
  ]
  const results = new Map([['site', {
    name: 'site',
    question: '',
    date: '2025-01-31',
    smoke: false,
    machine: '',
    versions: {},
    seconds: 1,
    tables: [{ title: `One object at a time, as with machines: ${PLACE}`, rows }]
  }]])

  it('compares single objects with Kubo whose nodes of a site stay connected', () => {
    expect(siteTargets(results).map(({ measured, reached }) => [measured, reached])).to.deep.equal([
      [2, '**no**'], [0.5, 'yes'], [0.5, '**no**'], [1.04, 'yes']
    ])
  })

  it('says what writing files alone takes, as the limit of writes', () => {
    const [site] = results.values()
    const bare = measuredRow('bare writes, shared directory', 'write', 0.08)
    const both = new Map([['site', { ...site, tables: [{ ...site.tables[0], rows: [...rows, bare] }] }]])

    expect(siteTargets(both).map(row => [row['the limit here'], row['share of it']])).to.deep.equal([
      [0.8, 0.4], ['-', '-'], ['-', '-'], ['-', '-']
    ])
  })

  it('compares what a command adds with what the command of Kubo adds', () => {
    const byCommand = [0.1, 0.3].map((seconds, i) =>
      measuredRow([sides[0], 'ipfsz daemon, shared directory'][i], 'write by a command', seconds))
    const [site] = results.values()
    const both = new Map([['site', { ...site, tables: [{ ...site.tables[0], rows: [...rows, ...byCommand] }] }]])

    expect(siteTargets(both).find(({ what }) => /daemon.* write by a command/.test(String(what))))
      .to.include({ measured: 3, reached: '**no**' })
  })

  it('says what takes longer than with stores of their own, and nothing else', () => {
    expect(fromSite(results)).to.deep.equal([
      '**write**, one object at a time, 50 ms between sites: longer than Kubo with peering in 1 of 1 cases, by these ' +
      'factors: 2 (256 KiB of text, ipfsz, shared directory)'
    ])
  })
})
