// Above 250 lines: one list of all commands, so that one that is missing is seen.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { allHelp } from './golden/help.ts'
import { Recorder } from './golden/recorder.ts'
import { writeInputs, writeWide } from './golden/inputs.ts'
import { it } from './run-cli.ts'
import { listBlocks, readBlock, removeBlock, writeBlock } from '../support/stored-blocks.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { text } from '../support/data.ts'
import type { ExpectStatic } from 'vitest'
import type { Sandbox } from './run-cli.ts'

type Work = (golden: Recorder, sandbox: Sandbox, expect: ExpectStatic) => Promise<void>

/** A CID of which no repo has a block. */
const MISSING = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
const GOLDEN = new URL('golden/', import.meta.url)
/** Nobody listens there. */
const NOBODY = 'http://127.0.0.1:1'

/** What differs from one build of the scripts of a site to the next. */
const OF_SCRIPTS = ['cid', 'loaderSize', 'workerSize', 'firstVisit']

/** Keep what commands tell in a fresh repo, and compare it with `golden/NAME.json`, which `vitest -u` writes anew. */
function area (name: string, work: Work): void {
  it(`${name} tells what it told`, async ({ sandbox, expect }) => {
    const golden = new Recorder(sandbox)
    await writeInputs(sandbox.directory)
    await work(golden, sandbox, expect)

    await expect(golden.toString()).toMatchFileSnapshot(`./golden/${name}.json`)
  })
}

// what programs rely on: exit codes, --json, columns in pipes, names of errors, CIDs. Users notice each change of it
describe.concurrent('golden commands', () => {
  area('init', async golden => {
    await golden.json(`
      init
      init
      init --blockstore-codec zstd
      --repo packed init --blockstore-codec zstd --blockstore-level 5
      --repo packed add notes.txt
      --repo packed stats
      --repo shared init --store store
      --repo second init --store store
      --repo shared add notes.txt
      --repo second pin ls
      --repo second gc --dry-run
      --repo other init --store s3://bucket?secret=x
      --repo other init --blockstore-codec nope
      --repo other init --blockstore-level 3
      --repo other init --blockstore-codec zstd --blockstore-level 99
      --repo other init --cache 1GiB
      --repo hello.txt init
      add notes.txt --link
    `)
    await golden.run('--repo piped init')
    await golden.files('repo', { names: true })
    await golden.both('stats')
  })

  area('config', async golden => {
    await golden.json(`
      config ls
      config set
      config set add.codec
      config set add.codecs gzip
      config set add.codec lzma
      config set add.codec gzip zstd
      config set add.level high
      config set add.hidden yes
      config set gateways ftp://example.com
      config set bootstrap none /dnsaddr/bootstrap.libp2p.io
      config set add.codec gzip
      config set add.level 9
      config set add.hidden true
      config set add.ignore *.log b
      config set gateways https://user:secret@example.com
      config ls
      add notes.txt --deterministic
      add notes.txt --deterministic --codec zstd
      --no-config add notes.txt
      add tree
      config rm add.level add.codec nope
      config ls
      add notes.txt
    `)
  })

  area('add', async golden => {
    await golden.json(`
      add notes.txt
      add notes.txt
      add hello.txt empty.txt noise.bin
      add big.txt frames.txt
      add notes.txt --codec none
      add notes.txt --codec zstd --level 1
      add notes.txt --codec zstd --level 19
      add notes.txt --codec zstd --deterministic
      add notes.txt --codec gzip --deterministic
      add notes.txt --codec gzip --level 9 --deterministic
      add notes.txt --codec lz4
      add notes.txt --codec lz4 --deterministic
      add notes.txt --codec brotli
      add notes.txt --codec brotli --level 11 --deterministic
      add notes.txt --codec snappy
      add notes.txt --codec snappy --deterministic
      add notes.txt --codec lzo
      add big.txt noise.bin --codec auto
      add big.txt --codec auto --optimize size
      add big.txt --codec auto --optimize speed
      add big.txt --codec auto --optimize balanced
      add big.txt --optimize ranges
      add frames.txt --frame-size 512KiB
      add frames.txt --cut content
      add frames.txt --cut content --codec lz4
      add noise.bin --no-detect
      add sound.raw
      add sound.raw --no-filters
      add sound.raw --codec gzip --deterministic
      add big.txt --link
      add notes.txt --only-hash
      --repo nowhere add notes.txt --dry-run
      add notes.txt --dry-run
      add hello.txt notes.txt --dry-run --codec brotli
      add notes.txt --no-pin --no-sync
      add notes.txt -Q
      add notes.txt hello.txt --wrap-with-directory
      add hello.txt --preserve-mode --no-preserve-mode
      add hello.txt -r -p --cid-version 1
      add notes.txt --human
      add notes.txt --verbose
    `)
    await golden.run('add --json', { stdin: text(2000) })
    await golden.run('add - --json', { stdin: new Uint8Array(0) })
    await golden.run('add notes.txt hello.txt')
    await golden.run('add tree -q')
    await golden.run('add tree -Q')
    await golden.run('add notes.txt --human')
  })

  area('add-trees', async golden => {
    await golden.json(`
      add tree
      add tree --hidden
      add tree --gitignore
      add tree --ignore *.log --ignore b
      add tree --preserve-mode
      add tree --preserve-mtime
      add tree --preserve-mode --preserve-mtime --hidden
      add tree --only-hash
      add tree --link
      add tree --codec none
      add tree --codec gzip --deterministic
      add tree --codec auto
      add tree --wrap-with-directory
      add tree notes.txt -w -Q
      add tree/link
      add similar --dictionaries
      add similar
      add similar --codec auto --dictionaries
    `)
    await golden.run('add tree')
    await golden.run('add tree --hidden --human')
  })

  area('add-wide', async (golden, { directory }) => {
    await writeWide(directory)
    await golden.json(`
      wide = add -Q wide --no-sync
      stat $wide
      du $wide -s
      verify $wide
      add -Q wide --codec none --no-sync
    `)
    await golden.run('ls $wide')
  })

  area('add-fails', async golden => {
    await golden.json(`
      add
      add nowhere.txt
      add nowhere.txt notes.txt
      add notes.txt --codec nope
      add notes.txt --nope
      add notes.txt --dry-run --only-hash
      add notes.txt --dry-run --link
      add notes.txt --level 99
      add notes.txt --level x
      add notes.txt --codec none --level 3
      add notes.txt --frame-size 1
      add notes.txt --frame-size 1GiB
      add notes.txt --cut content --frame-size 1MiB
      add notes.txt --cut somewhere
      add notes.txt --optimize size
      add notes.txt --optimize ranges --codec none
      add notes.txt --base bafkqaaa
      add notes.txt --base ${MISSING}
      add notes.txt --base latest --codec gzip
      add notes.txt --base latest --only-hash
      add notes.txt --base-of-base flatten
      add notes.txt --name x
      add similar --dictionaries --codec gzip
      add similar --dictionaries --cut content
      add notes.txt --link --only-hash
      add notes.txt --cid-version 0
      add notes.txt --kubo ${NOBODY}
      add notes.txt --kubo ${NOBODY} --link
      add notes.txt --kubo nonsense
      add notes.txt --repo hello.txt
    `)
    await golden.run('add nowhere.txt')
    await golden.run('add --nope')
  })

  area('versions', async golden => {
    await golden.json(`
      v1 = add v1.txt
      v2 = add v2.txt --base $v1
      stat $v2
      verify $v2
      add v2.txt --base $v2
      add v1.txt --base $v2 --base-of-base refuse
      add v2.txt --base $v1 --frame-size 64KiB
      add v1.txt --base latest --name text
      add v2.txt --base latest --name text
      add v2.txt --base latest --name text
      add tree --base latest
    `)
    await golden.both(`
      log
      log text
      log tree
      log nobody
      ls $v2
      du
      pin ls
      pin ls -l
      stats
      diff $v1 $v2
    `)
    await golden.json(`
      forget
      forget text
      forget text --keep-last x
      forget nobody --keep-last 1
      forget text --keep-daily 1 --keep-within 30d --dry-run
      forget text --keep-last 1 --dry-run
      forget text --keep-last 1
      log text
      gc
      verify --all
      log --forget
      log text --forget
      log text
      log
      gc
    `)
  })

  area('read', async golden => {
    await golden.json(`
      notes = add notes.txt
      plain = add notes.txt --codec none
      gzip = add notes.txt --codec gzip --deterministic
      sound = add sound.raw
      frames = add frames.txt --frame-size 512KiB
      empty = add empty.txt
      hello = add hello.txt
      auto = add big.txt --codec auto
      dictionary = add similar --dictionaries
      tree = add tree --preserve-mode --preserve-mtime
      old = add tree --ignore skip.log
    `)

    for (const name of ['notes', 'plain', 'gzip', 'sound', 'frames', 'empty', 'hello', 'auto', 'dictionary', 'tree']) {
      await golden.both(`
        stat $${name}
        ls $${name}
        verify $${name}
      `)
      await golden.run(`cat $${name}`)
      await golden.run(`cat $${name} --raw`)
    }

    await golden.both(`
      ls $tree -l
      ls $tree -R
      ls $tree -lR --human
      ls $tree/b
      ls $tree/a.txt
      tree $tree
      tree $tree --depth 1
      tree $tree/a.txt
      find c.txt
      find b/* $tree
      find * $tree --type directory
      stat $tree/b/c.txt
      stat $tree/link
      stat $tree --human
      verify --all
      verify $notes $tree $frames
      diff $old $tree
      diff $tree $tree
      diff $notes $plain
      diff $notes $plain --content
      diff $notes $hello
      du
      du -s
      du $tree
      du notes.txt $tree/b -s
      stats
    `)

    for (const line of [
      'cat $tree/run.sh', 'cat $frames --offset 1000000 --length 20', 'cat $notes --offset 4990', 'cat hello.txt',
      'cat $hello --length 0', 'cat $sound --offset 3 --length 30', 'cat /ipfs/$hello', 'cat ipfs://$tree/link'
    ]) {
      await golden.run(line)
    }

    await golden.json(`
      cat
      cat nonsense
      cat ${MISSING} --offline
      cat ${MISSING}
      cat $tree
      cat $tree/nowhere
      cat $notes/below
      cat $notes --offset 99999
      cat $notes --offset -1
      cat $notes --raw --max-window 8MiB
      cat $notes --offline --timeout 3s
      ls ${MISSING} --offline
      ls $tree/nowhere
      tree ${MISSING} --offline
      tree $tree --depth 0
      find
      find x ${MISSING} --offline
      find x ${MISSING} $tree --offline
      find x $tree --type nope
      stat ${MISSING} --offline
      stat $tree/nowhere
      stat
      diff $notes ${MISSING} --offline
      diff $notes
      verify
      verify $notes --all
      verify ${MISSING}
      verify nonsense $notes
      du ${MISSING}
      du nonsense
      --repo nowhere cat $notes --offline
      --repo nowhere ls $tree --offline
      --repo nowhere stat $tree --offline
      --repo nowhere verify --all
      --repo nowhere du
      --repo nowhere stats
      bafkqaaa
    `)
    await golden.run('cat nonsense')
  })

  area('get', async golden => {
    await golden.json(`
      notes = add notes.txt
      tree = add tree --preserve-mode --preserve-mtime --hidden
      sharp = add similar --dictionaries
      get $notes -o out/notes.txt
      get $notes -o notes.out
      get $notes -o notes.out
      get $notes -o notes.out --force
      get $notes -o tree/
      get $tree -o out
      get $tree/b
      get $sharp -o similar.out
      get $tree -o out
      get $tree -o small --max-size 10
      get $tree -o few --max-files 2
      get $notes -o - --force
      get ${MISSING} -o missing --offline
      get $tree/nowhere -o missing
      get
    `)
    await golden.run('get $notes -o piped.out')
    await golden.run('get $notes -o -')
    await golden.run('get hello.txt -o -')
    await golden.files('out')
    await golden.files('b')
    await golden.files('similar.out')
  })

  area('keep', async (golden, { repo }, expect) => {
    await golden.json(`
      notes = add notes.txt
      tree = add tree
      loose = add big.txt --no-pin
      pin add $loose
      pin add bafkqaaa
      pin add ${MISSING}
      pin add nonsense
      pin add
      pin rm $loose
      pin rm $loose
      pin rm ${MISSING}
      pin ls nonsense
      gc --dry-run
      gc
      gc
      gc --evict nobody
      rm notes.txt
      rm $notes
      rm nonsense
      gc
      cat $notes --offline
      pin rm $tree
      gc
      gc --force
      --repo nowhere gc
      --repo nowhere pin ls
      --repo nowhere pin add $tree
      --repo nowhere rm $tree
    `)
    await golden.run('add tree -Q')
    await golden.both(`
      pin ls
      pin ls --long
      gc --dry-run
    `)
    await golden.run('pin add $loose')
    await golden.run('pin rm tree')
    await golden.run('add hello.txt')
    await golden.run('gc')
    expect(await listBlocks(repo)).toHaveLength(1)
  })

  area('damage', async (golden, sandbox) => {
    await golden.json(`
      notes = add notes.txt
      big = add big.txt
    `)
    const [first] = await listBlocks(sandbox.repo)
    await writeBlock(sandbox.repo, first, (await readBlock(sandbox.repo, first)).subarray(0, 100))
    await golden.json(`
      tree = add tree
      repair --offline
      verify --all
      verify $notes $big
      cat $big --offline
      stats
    `)
    await removeBlock(sandbox.repo, first)
    await golden.both(`
      repair --offline
      verify --all
      repair $tree --offline
    `)
    await golden.json(`
      repair nonsense
      repair --offline --peer /ip4/127.0.0.1/tcp/1
      --repo nowhere repair
      blockstore convert --codec zstd
      du
      stats
    `)
  })

  area('blockstore', async golden => {
    await golden.json(`
      add notes.txt big.txt --codec none
      stats
      blockstore convert --codec zstd
      blockstore convert --layout files
      blockstore convert --codec zstd
      stats
      blockstore convert --codec zstd
      blockstore convert --codec zstd --level 19 --again
      blockstore convert --codec lz4
      stats
      blockstore convert --codec none
      stats
      blockstore convert
      blockstore convert --codec nope
      blockstore convert --codec none --again
      blockstore convert --codec none --level 3
      blockstore convert --codec zstd --level 99
      --repo nowhere blockstore convert --codec zstd
      blockstore convert --layout packs
      blockstore convert --layout packs
      blockstore convert --layout boxes
      blockstore convert --layout files --codec zstd
      --repo nowhere blockstore convert --layout packs
      init --layout files
      init --layout packs
      init --layout packs --blockstore-codec zstd
      gc --max-unused 0
      gc --max-unused 101%
      blockstore
      stats extra
    `)
    await golden.run('blockstore convert --codec zstd')
  })

  area('car', async golden => {
    await golden.json(`
      notes = add notes.txt
      tree = add tree --link
      loose = add noise.bin --no-pin
      car export $notes -o notes.car
      car export $notes $tree -o all.car
      car export $notes -o notes.car
      car export $notes -o notes.car --force
      car export ${MISSING} -o missing.car
      car export nonsense -o missing.car
      car export $notes
      car export $notes -o nowhere/notes.car
      --repo new car import notes.car
      --repo new car import notes.car all.car --no-sync
      --repo new pin ls
      --repo new cat $notes --offline
      --repo new car import not-a.car
      --repo new car import nowhere.car
      --repo new car import
      --repo nowhere car export $notes -o x.car
      car
    `)
    const { stdout } = await golden.run('car export $tree -o -')
    await golden.run('--repo piped car import - --json', { stdin: stdout })
    await golden.run('--repo piped car import -', { stdin: stdout.subarray(0, -1) })
    await golden.run('--repo piped car import -', { stdin: new Uint8Array(0) })
    await golden.run('car export $notes -o piped.car')
    await golden.run('--repo piped car import piped.car')
  })

  area('link', async golden => {
    await golden.json(`
      plain = add big.txt --codec none
      marked = add big.txt
      other = add notes.txt
      tree = add tree
      link add $plain $marked
      link add $plain $marked
      link add $plain $other
      link add $plain $other --unchecked
      link add $marked $plain
      link add $plain $marked --unchecked --max-window 8MiB
      link add ${MISSING} $marked
      link add ${MISSING} $marked --unchecked
      link add nonsense $marked
      link add $plain
      link ls
      originals ls
      originals index
      originals index
      originals index --layout unixfs-v0-2015
      originals index $tree
      originals index ${MISSING}
      originals index --layout nope
      rm $plain
      gc
      cat $plain --offline
      stat $plain --offline
      verify $plain
    `)
    await golden.both(`
      link ls
      originals ls
    `)
    await golden.json(`
      link rm $plain
      link rm $plain
      link rm nonsense
      link ls
      --repo nowhere link ls
      --repo nowhere originals ls
      --repo nowhere originals index
      link
    `)
    await golden.run('add big.txt --link')
    await golden.run('link rm $marked')
  })

  area('cid', async golden => {
    await golden.json(`
      notes = add notes.txt --only-hash
      tree = add -Q tree --only-hash
      cid plain $notes
      cid plain $tree
      cid mark ${MISSING} --codec zstd
      cid mark ${MISSING} --codec tree
      cid mark ${MISSING}
      cid mark ${MISSING} --codec nope
      cid mark bafkqaaa --codec zstd
      cid mark $notes --codec gzip
      cid mark nonsense --codec zstd
      cid plain ${MISSING}
      cid plain nonsense
      cid plain
      cid nope
      cid
    `)
    await golden.run('cid plain $notes')
    await golden.run('cid mark $notes --codec zstd')
    await golden.both('codecs')
  })

  area('migrate', async golden => {
    await golden.json(`
      add notes.txt tree big.txt --link
      migrate repo new --dry-run
      migrate repo new
      migrate repo new
      migrate repo new --verify
      --repo new pin ls
      --repo new link ls
      --repo new verify --all
      migrate repo repo
      migrate nowhere new
      migrate repo hello.txt
      migrate repo
      migrate repo s3://bucket?secret=x
      import --from-kubo ${NOBODY}
      import --from-kubo nowhere
      import ${MISSING} --from-kubo ${NOBODY}
      import nonsense --from-kubo ${NOBODY}
      import
      import --from-kubo ${NOBODY} --codec none
      import --from-kubo ${NOBODY} --level 99
    `)
    await golden.run('migrate repo piped')
  })

  area('site', async golden => {
    await golden.json(`
      site add site
      site add site --level 1 --keep index.html
      site add site --optimize ranges
      site add site --dictionaries --hidden
      pin ls
    `, { volatile: [...OF_SCRIPTS, 'plainCid'] })
    await golden.json(`
      site add tree
      site add nowhere
      site add notes.txt
      site add site --ignore index.html
      site add site --level 99
      site add site --optimize size
      site add
      site
    `)
  })

  area('bench', async golden => {
    await golden.json('bench big.txt --codec zstd --level 1 --time 1', {
      volatile: ['measured', 'rounds', 'choice', 'command', 'fastLink', 'reason']
    })
    await golden.json(`
      bench
      bench nowhere.txt
      bench notes.txt --codec nope
      bench notes.txt --codec zstd --level 99
      bench notes.txt --frame-size 1
      bench notes.txt --time 0
    `)
  })

  area('network', async (golden, sandbox, expect) => {
    await golden.json(`
      id
      notes = add notes.txt
      peers
      connect /ip4/127.0.0.1/tcp/1
      connect
      name resolve nonsense
      name publish nonsense
      name publish
      name resolve
      providers nonsense
      providers
      daemon --listen nonsense
      daemon --bootstrap none --bootstrap /ip4/127.0.0.1/tcp/1
      daemon --gateway-fetch
      daemon --gateway 127.0.0.1:0 --gateway-cache 1GiB
      daemon --originals-layout unixfs-v0-2015
      daemon --gateway 0.0.0.0:0
      gateway --listen nonsense
      gateway --listen 0.0.0.0:0
      gateway --peer /ip4/127.0.0.1/tcp/1
      gateway --compress-cpu 3
      gateway --max-requests 0
      gateway --compress nope
      --repo hello.txt daemon
      --repo hello.txt gateway
      name
    `)
    const peer = await startDaemon(sandbox, { repo: join(sandbox.directory, 'peer') })
    const daemon = await startDaemon(sandbox, { bootstrap: [peer.address] })
    // which a peer tells once it is connected
    await expect.poll(async () => (await sandbox.run(['peers', '--json'])).stdout.toString()).toContain('"agent"')
    await golden.json(`
      id
      peers
      add hello.txt
      daemon
      name publish $notes --lifetime 1h
      name publish $notes --key other
      name resolve other
      name resolve missing
      providers ${MISSING}
      connect /ip4/127.0.0.1/tcp/1/p2p/12D3KooWKnDdG3iXw9eTFijk3EWSunZcFi54Zka4wmtqtt6rPxc8
      cat ${MISSING} --timeout 1s
      gc --dry-run
    `)
    await golden.run('id')
    await golden.run('peers')
    await golden.run('name resolve other')
    await golden.run('name publish $notes')
    expect(await daemon.stop()).toMatchObject({ code: 0 })
    await golden.run('peers')
  })

  area('gateway', async (golden, sandbox) => {
    await golden.json('add notes.txt')
    const ended = new AbortController()
    const ready = Promise.withResolvers<void>()
    const line = 'gateway --listen 127.0.0.1:0 --json'
    const running = sandbox.run(line.split(' '), {
      signal: ended.signal,
      onPrint: printed => {
        if (printed.includes('"ready"')) {
          ready.resolve()
        }
      }
    })
    await Promise.race([ready.promise, running])
    await golden.json('add notes.txt tree -Q')
    await golden.run('add notes.txt')
    ended.abort()
    golden.keep(line, await running)
  })

  it('help tells which commands, arguments and options there are', async ({ sandbox, expect }) => {
    const help = await allHelp(sandbox)

    await expect(`${JSON.stringify(help, undefined, 2)}\n`).toMatchFileSnapshot('./golden/help.json')
  })

  it('are all commands', async ({ sandbox, expect }) => {
    const files = (await readdir(GOLDEN)).filter(name => name.endsWith('.json') && name !== 'help.json')
    const lines = (await Promise.all(files.map(async name => readFile(new URL(name, GOLDEN), 'utf8')))).join('\n')
    const names = Object.keys(await allHelp(sandbox))
      .map(usage => usage.replaceAll(/^ipfsz| [[<].*/g, '').trim())
      .filter(name => name !== '')

    expect(names.length).toBeGreaterThan(40)
    expect(names.filter(name => !new RegExp(`^  "(?:--repo \\w+ )?${name}[ "]`, 'm').test(lines))).toEqual([])
  })

  area('shell', async golden => {
    await golden.json(`
      add notes.txt
      version
      complete -- p
      complete -- pin ''
      complete -- cat ''
      complete -- add --cod
      complete -- add --codec z
      complete -- add ''
      completion nope
      help nope
      nope
    `)
    await golden.run('--version')
    await golden.run('version')
    await golden.run('')
    await golden.run('completion bash')
    await golden.run('completion zsh')
    await golden.run('completion fish')
    await golden.run('complete -- pin rm b')
    await golden.run('complete -- pin l')
  })
})
