import { writeSync } from 'node:fs'

/** The file descriptor of stderr. */
const STDERR = 2

/** Prints that the process ends by itself, since nothing is left to wait for. */
process.on('beforeExit', () => { writeSync(STDERR, 'ends by itself\n') })
