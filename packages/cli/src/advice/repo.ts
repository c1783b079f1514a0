import type { Advice } from './table.ts'

/** The repo */
export const REPO: Advice = {
  /**
   * # There is no repo in PATH: add a file first, or use another repo with --repo or IPFSZ_PATH
   *
   * Commands that only read do not create a repo. `ipfsz init` and `ipfsz add` do.
   */
  'RepoError missing': ': add a file first, or use another repo with --repo or IPFSZ_PATH',
  /**
   * # The repo PATH is a file, not a directory:
   *
   * `--repo` or `IPFSZ_PATH` is not a directory. Use a directory, or a path that does not exist yet.
   */
  'RepoError not-a-directory': ': use another path with --repo or IPFSZ_PATH',
  /**
   * # The repo PATH was replaced while it was opened:
   *
   * Another program renamed the directory, or replaced it with a symlink, so what was written may be elsewhere. The
   * group of a directory above the repo can do so at any time if it may write there: `ipfsz init` warns of that.
   */
  'RepoError replaced': ': use a directory that no other user can rename',
  /**
   * # The user UID owns PATH, and so can replace the repo PATH:
   *
   * Or `Every user of this machine can rename what is in PATH`. A directory or symlink on the path of the repo belongs
   * to another user than root, or has a mode such as 0777 without the sticky bit. Whoever renames the repo, or
   * something in it, could make ipfsz read and write elsewhere with your permissions: so root is refused too. Run it as
   * that user, `chmod o-w` the directory, or use another repo. In a container whose volume belongs to another user, and
   * which nobody else can enter, set `IPFSZ_SAFE_DIRECTORY` to the path of the repo, or to `*` for any, as git's
   * `safe.directory`. With `sudo`, directories of the user who called it are allowed, as in git. A directory that its
   * group can write to is not refused, as the group may have one member; `ipfsz init` warns of it.
   */
  'RepoError unsafe-directory':
    ': run ipfsz as the owner, use a directory that only you can write to, or set IPFSZ_SAFE_DIRECTORY to the path ' +
    'of the repo',
  /**
   * # There is no home directory for the repo:
   *
   * The repo is `~/.ipfsz` by default, and `HOME` is empty, a relative path, or missing for a user without an entry in
   * `/etc/passwd`. Set `HOME` or `IPFSZ_PATH`, or choose a repo with `--repo`.
   */
  'RepoError no-home': '. Set it, or choose a repo with --repo or IPFSZ_PATH',
  'RepoError read-only': '. Make it writable, or use another repo with --repo',
  'RepoError no-cache':
    '. Make the repo writable, or disable the cache with --cache none (daemon: --gateway-cache none)',
  'RepoError other-layout': ': to change that, run ipfsz blockstore convert --layout',
  'RepoError other-codec': ': to change that, run ipfsz blockstore convert',
  /**
   * # The record KEY of a history is damaged
   *
   * Something other than ipfsz changed the record. `ipfsz log --forget NAME` deletes the records of a name, including
   * damaged ones, and keeps the pins: `ipfsz pin ls` lists what was added.
   */
  'RepoError damaged-history':
    ': delete its file in the repo\'s directory datastore or its object in the store, or delete the history with ' +
      'ipfsz log --forget NAME',
  /**
   * # has version N, but this ipfsz supports only N: use the ipfsz that created it
   *
   * Another version of `ipfsz` created the repo.
   */
  RepoError: undefined,
  /**
   * # The working directory was deleted:
   *
   * The current directory of your shell no longer exists, so relative paths do not work. `cd` to another one.
   */
  WorkingDirectoryError: '',
  /**
   * # The repo PATH is in use:
   *
   * The message shows which process uses the repo, and what it does. `gc` and `blockstore convert` wait for adds to
   * finish, and adds and `daemon` wait for them, for as long as the other process is alive. After a second they print
   * which process they wait for; Ctrl-C stops the wait. Only waiting for the databases of links and originals, which
   * processes use in turns, fails after 20 s. A lock ends with its process, so you never need to delete a lock file.
   */
  RepoLockedError: undefined,
  /**
   * # A worker thread failed:
   *
   * A thread that reads, compresses or checks small files ended, for example for lack of memory. Nothing that was
   * printed before is lost. Run the command again, with more memory. If it happens again, report it with the output of
   * `--verbose`.
   */
  ThreadFailedError: undefined,
  /**
   * # A daemon is already running on the repo PATH
   *
   * Only one daemon can run per repo. Use that one, or choose another repo with `--repo`.
   */
  DaemonRunningError: ': stop it first, or use another repo with --repo',
  /**
   * # CID is not pinned: list the pins with ipfsz pin ls
   *
   * It may be the CID of a file in a pinned directory. Only roots are pinned.
   */
  NotPinnedError: ': list the pins with ipfsz pin ls',
  /**
   * # "NAME" has no history: list all histories with ipfsz log
   *
   * Nothing was added to this repo under that name with `ipfsz add --base latest`. The name is the last part of the
   * path, such as `photos` for `ipfsz add --base latest ~/photos`, unless `--name` was given.
   */
  NoHistoryError: ': list all histories with ipfsz log',
  'UsageError keeps-none':
    ': use --keep-last, --keep-daily or another of the --keep-... options. To forget all, run ipfsz log --forget NAME',
  'UsageError packs-compress': ': omit the codec, or keep blocks as files with --layout files',
  /**
   * # Cannot use the setting KEY of FILE
   *
   * The file with the settings of the repo is damaged, has a key that this version does not know, or a value that the
   * option does not take. `ipfsz config rm KEY` removes a setting, `--no-config` runs a command without them.
   */
  ConfigError: ({ key }) => key == null
    ? ': mend the file, delete it, or use --no-config'
    : `: remove it with ipfsz config rm ${key}`,
  /**
   * # Nothing is pinned in PATH, so
   *
   * `gc` would empty the repo. Pin what you want to keep, or confirm with `--force`.
   */
  'NothingPinnedError nothing-pinned':
    ': pin what you want to keep with ipfsz pin add CID, or delete everything with --force',
  'NothingPinnedError no-pins-yet': ': pin what you want to keep with ipfsz pin add CID, then use --force once',
  /**
   * # The addon NAME failed to load:
   *
   * An optional package with native code is missing, or does not support this platform. Reinstall `ipfsz` without
   * `--omit=optional`. [What is installed](../packages/cli/README.md#what-is-installed) says what each addon is for.
   */
  MissingAddonError: undefined
}
