import type { RangeFile } from './range-file.ts'
import type { Sqlite3Result, Sqlite3Static, WasmPointer } from '@sqlite.org/sqlite-wasm'

/** The name of the file system, and of the only file in it. */
export const VFS = 'ranges'

/** Methods of the standard file system that do not concern files. */
const SHARED = ['$xRandomness', '$xSleep', '$xCurrentTime', '$xCurrentTimeInt64']

/** The types of the package take all results for codes. */
const SECTOR_SIZE = 4096 as number as Sqlite3Result

/** The file system of SQLite (sqlite.org/vfs.html). It has one file, which nobody changes. */
export class RangeVfs {
  /** Why the last read failed: SQLite itself says only that it did. */
  lastError: unknown
  readonly #sqlite3: Sqlite3Static
  readonly #file: RangeFile

  constructor (sqlite3: Sqlite3Static, file: RangeFile) {
    this.#sqlite3 = sqlite3
    this.#file = file
  }

  /** Let SQLite use it, by the name {@link VFS}. */
  install (): void {
    const { capi, vfs, wasm } = this.#sqlite3
    const io = new capi.sqlite3_io_methods()
    const struct = new capi.sqlite3_vfs()
    const opened = new capi.sqlite3_file()
    const standard = new capi.sqlite3_vfs(capi.sqlite3_vfs_find(null))
    const done = (): 0 => capi.SQLITE_OK
    const refuse = (): 8 => capi.SQLITE_READONLY

    Object.assign(io, { $iVersion: 1 })
    struct.$iVersion = 2
    struct.$szOsFile = opened.structInfo.sizeof
    opened.dispose()
    struct.$mxPathname = 64

    for (const name of SHARED) {
      Reflect.set(struct, name, Reflect.get(standard, name))
    }

    vfs.installVfs({
      io: {
        struct: io,
        methods: {
          xClose: done,
          xRead: (_, buffer, length, offset) => this.#read(buffer, length, Number(offset)),
          xWrite: refuse,
          xTruncate: refuse,
          xSync: done,
          xFileSize: (_, size) => {
            wasm.poke64(size, BigInt(this.#file.size))

            return capi.SQLITE_OK
          },
          xLock: done,
          xUnlock: done,
          xCheckReservedLock: (_, isLocked) => {
            wasm.poke32(isLocked, 0)

            return capi.SQLITE_OK
          },
          xFileControl: () => capi.SQLITE_NOTFOUND,
          xSectorSize: () => SECTOR_SIZE,
          // no locks, no journal, also for a database in WAL mode
          xDeviceCharacteristics: () => capi.SQLITE_IOCAP_IMMUTABLE as number as Sqlite3Result
        }
      },
      vfs: {
        struct,
        name: VFS,
        methods: {
          xOpen: (_vfs, _name, file, flags, outFlags) => {
            if ((flags & capi.SQLITE_OPEN_MAIN_DB) === 0) {
              return capi.SQLITE_CANTOPEN
            }

            const struct = new capi.sqlite3_file(file)
            struct.$pMethods = io.pointer
            struct.dispose()
            wasm.poke32(outFlags, capi.SQLITE_OPEN_READONLY)

            return capi.SQLITE_OK
          },
          xAccess: (_vfs, _name, _flags, exists) => {
            wasm.poke32(exists, 0)

            return capi.SQLITE_OK
          },
          xFullPathname: (_, name, length, full) => (
            wasm.cstrncpy(full, name, length) < length ? capi.SQLITE_OK : capi.SQLITE_CANTOPEN
          ),
          xDelete: refuse,
          xGetLastError: done
        }
      }
    })
  }

  #read (buffer: WasmPointer, length: number, offset: number): Sqlite3Result {
    const { capi, wasm } = this.#sqlite3

    try {
      const into = wasm.heap8u().subarray(Number(buffer), Number(buffer) + length)
      const count = this.#file.read(into, offset)

      // SQLite wants the rest to be zeros
      into.fill(0, count)

      return count < length ? capi.SQLITE_IOERR_SHORT_READ : capi.SQLITE_OK
    } catch (err) {
      this.lastError = err

      return capi.SQLITE_IOERR_READ
    }
  }
}
