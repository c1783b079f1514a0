/** Runs a `VersionsTask` of `task.ts` in a process of its own. */
import { measureSides } from './measure-versions.ts'
import { readSeries } from './version-series.ts'
import { LIBRARY_SIDES } from './version-stores.ts'
import type { VersionsTask } from './task.ts'

// the parent process has ended
process.on('disconnect', () => { process.exit() })

const { series, ...rounds } = JSON.parse(process.argv[2]) as VersionsTask

process.send?.(await measureSides(LIBRARY_SIDES, readSeries(series), rounds), () => { process.exit() })
