import type { BenchmarkOptions } from '../../benchmark.ts'
import type { Objects } from './trial.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** What is measured with each side. */
export interface Plan {
  sites: number
  /** In each site. */
  nodes: number
  /** Round trips between sites, in milliseconds. */
  delay: number
  /** How often each side is started. */
  rounds: number
  /** The names of sides. All that there are, if there are none. */
  sides?: readonly string[]
  objects: readonly Objects[]
  /** How long nodes may find each other before anything is measured, and after each write, in milliseconds. */
  start: number
  settle: number
  /** How many objects of the first kind each node stores and sends before anything is measured. */
  warmUp: number
  /** How many seconds a side takes, once, without the start of its storage: on two cores that do nothing else. */
  seconds: number
}

/** The sides without which a table says little: what operators have today, and what takes its place. */
const SIDES = [
  'kubo-own', 'kubo-peering', 'kubo-shared', 'bare-directory', 'ipfsz-directory', 'daemon-directory', 'ipfsz-s3'
]

const SITES = { sites: 3, nodes: 2, start: 5000, settle: 500, warmUp: 10 }

/** One object after the other: as long as it takes where each node has a machine of its own. */
function alone (size: number, trials: number, compressible = true): Objects {
  return { size, compressible, atATime: 1, trials }
}

/** As the paper does, in all sites at the same time: this machine's processors are the limit. */
function together (size: number, trials: number): Objects {
  return { size, compressible: true, atATime: 6, trials }
}

/** The first is measured by `npm run bench -- site` and `all`. */
export const PLANS: Readonly<Record<string, Plan>> = {
  short: {
    ...SITES,
    delay: 50,
    rounds: 1,
    seconds: 87,
    sides: SIDES,
    objects: [
      alone(256 * KIB, 10), alone(MIB, 10), alone(10 * MIB, 5), together(256 * KIB, 2), together(MIB, 1),
      together(10 * MIB, 1)
    ]
  },
  noise: {
    ...SITES,
    delay: 50,
    rounds: 1,
    seconds: 50,
    sides: SIDES,
    objects: [alone(256 * KIB, 10, false), alone(MIB, 10, false), alone(10 * MIB, 5, false)]
  },
  full: {
    ...SITES,
    delay: 50,
    rounds: 1,
    seconds: 125,
    objects: [
      ...[true, false].flatMap(compressible => [
        alone(256 * KIB, 10, compressible), alone(MIB, 10, compressible), alone(10 * MIB, 5, compressible)
      ]),
      together(256 * KIB, 2), together(MIB, 1), together(10 * MIB, 1)
    ]
  },
  '100ms': farther(100),
  '200ms': farther(200)
}

/** Whether to measure small objects, once, only to check that everything runs; and which plan. */
export function planOf ({ smoke, plan }: Pick<BenchmarkOptions, 'smoke' | 'plan'>): Plan {
  if (smoke) {
    return plan == null ? SMOKE : shrink(PLANS[plan])
  }

  return PLANS[plan ?? Object.keys(PLANS)[0]]
}

/** A side of each kind of node. */
export const SMOKE: Plan = {
  sites: 2,
  nodes: 1,
  delay: 20,
  rounds: 1,
  seconds: 10,
  sides: ['kubo-own', 'daemon-s3'],
  objects: [
    { size: 64 * KIB, compressible: true, atATime: 1, trials: 1 },
    { size: 64 * KIB, compressible: false, atATime: 2, trials: 1 }
  ],
  start: 200,
  settle: 0,
  warmUp: 1
}

function shrink (plan: Plan): Plan {
  return {
    ...plan,
    rounds: 1,
    objects: plan.objects.map(objects => ({ ...objects, size: objects.size / 16, trials: 1 })),
    warmUp: SMOKE.warmUp,
    seconds: 40
  }
}

function farther (delay: number): Plan {
  return {
    ...SITES,
    delay,
    rounds: 1,
    seconds: 95,
    sides: SIDES,
    objects: [alone(256 * KIB, 10), alone(MIB, 10), alone(10 * MIB, 5), together(256 * KIB, 2)]
  }
}
