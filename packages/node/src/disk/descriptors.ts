import * as fs from 'node:fs'
import { promisify } from 'node:util'

/* Node's calls on descriptors. A FileHandle that is not closed prints a warning, and cannot be given to a stream. */

export const openFile = promisify(fs.open)
export const closeFile = promisify(fs.close)
export const statFile = promisify(fs.fstat)
