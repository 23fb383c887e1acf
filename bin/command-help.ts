import { builtInDemo, type commands, scannedBoard } from './commands.ts'

/** What the help of a command says beside its options. */
export interface CommandHelp {
  summary: string
  /** A paragraph each. */
  notes: readonly string[]
  examples: readonly string[]
}

const limitsNote =
  'Limits can only narrow what the board allows. In a RULE of --allow, arguments have commas between them, as in ' +
  'motor:rpm=0..500,direction=left|right; a range may leave out one end. Stopping is always allowed.'

/** The help of every command. */
export const helpTexts: Record<keyof typeof commands, CommandHelp> = {
  serve: {
    summary: 'Serve a board to an MCP host, on stdin and stdout',
    notes: [
      'Hosts start this command for you; "ferrule host" prints what to give them. Only the protocol goes to stdout: ' +
        'whatever the file prints goes to stderr.',
      'With --http it serves any number of hosts at a URL, until Ctrl-C. Only programs on this computer reach ' +
        'it, until you name another host; then it asks for a token, which "ferrule token create" makes.',
      'With --serial the computer is the board: /dev/ttyGS0 is the USB socket of a Raspberry Pi Zero or 4 in gadget ' +
        'mode, /dev/serial0 its UART. --baud, --pace and --dtr belong to it.',
      limitsNote,
    ],
    examples: [
      'ferrule serve greenhouse.ts',
      'ferrule serve board.json',
      `ferrule serve ${builtInDemo}`,
      `ferrule serve ${scannedBoard} --input GPIO23 --output GPIO17`,
      'ferrule serve greenhouse.ts --http',
      'ferrule serve greenhouse.ts --http --page',
      'ferrule serve greenhouse.ts --http 0.0.0.0:8970 --allowed-host pi.local',
      'ferrule serve greenhouse.ts --serial /dev/ttyGS0',
      'ferrule serve greenhouse.ts --allow pump:seconds=0..10 --allow lamp',
      'ferrule serve greenhouse.ts --simulate',
    ],
  },
  bridge: {
    summary: 'Serve a board on a cable to an MCP host, on stdin and stdout',
    notes: [
      'Hosts start this command for you; "ferrule host" prints what to give them. Pull the cable, plug it in again, ' +
        'flash other firmware: the bridge stays, and so does the host.',
      'Given --port more than once, it is one server with the names of each board behind its own prefix, as in ' +
        '--port lab=/dev/ttyACM0 --port attic=tcp://10.0.0.7:3333.',
      'With --http it serves any number of hosts at a URL, until Ctrl-C. Bridges that hosts start go through it.',
      limitsNote,
      'A copy that was given other limits than the bridge that has the board can only read.',
    ],
    examples: [
      'ferrule bridge',
      'ferrule bridge --port /dev/ttyACM0',
      'ferrule bridge --port greenhouse',
      'ferrule bridge --port /dev/ttyACM0 --http',
      'ferrule bridge --port usb:2341:0043 --baud 9600 --pace 32/10',
      'ferrule bridge --port greenhouse --read-only',
    ],
  },
  ports: {
    summary: 'List the serial ports, and what answers on them',
    notes: ['A port that a bridge or another program has is not opened; who has it is told.'],
    examples: ['ferrule ports', 'ferrule ports --no-ask', 'ferrule ports --udev'],
  },
  scan: {
    summary: 'Show what is connected to this Linux board, and write a first board file',
    notes: [
      'It looks at pins, I2C, 1-Wire, SPI, PWM, UARTs and whatever the kernel measures, and says of what is off or may ' +
        'not be used how that is changed. It moves nothing: no pin is taken, and no register of a chip is written.',
      'Outputs cannot be found. With --write, what to paste for them is printed.',
      'It ends with 1 when no sensor was found.',
    ],
    examples: [
      'ferrule scan',
      'ferrule scan --write board.json',
      'ferrule scan --bus 20',
      'ferrule scan --json | jq .sensors',
    ],
  },
  doctor: {
    summary: 'Check a port, or a configuration of a host, step by step',
    notes: [
      'It goes from the cable to the first reading, and says what to do at the first step that fails. It moves nothing.',
    ],
    examples: [
      'ferrule doctor',
      'ferrule doctor /dev/ttyACM0 --baud 9600',
      'ferrule doctor --host-config ~/.cursor/mcp.json',
    ],
  },
  trace: {
    summary: 'Show the messages of an MCP server, or of a board on a cable',
    notes: [
      'Around a server it passes everything on as it is, from stdin and to stdout, so it can stand in the entry of a ' +
        'host in the place of the server. What it shows goes to stderr. Mistakes in the protocol are named, on either ' +
        'side.',
      'A port that a bridge has is shown by that bridge. On any other, it finds out who is there and shows how.',
    ],
    examples: [
      'ferrule trace -- node my-server.js',
      'ferrule trace --record trace.txt -- ferrule serve greenhouse.ts',
      'ferrule trace --port /dev/ttyACM0',
    ],
  },
  log: {
    summary: 'Show the record: what models did with a board',
    notes: [
      'Servers keep the record as JSON, one line a call or event, in the state folder of the user or where --record ' +
        'says. Times are local, and in the file UTC.',
    ],
    examples: [
      'ferrule log',
      'ferrule log greenhouse --tool pump --since 2h',
      'ferrule log -f',
      'ferrule log --json | jq .tool',
    ],
  },
  stop: {
    summary: 'Put every output of everything that you run into its safe state, where it stays',
    notes: [
      'It reaches every ferrule serve and bridge of this user on this computer, at once. Outputs stay off until ' +
        '"ferrule arm". SIGUSR1 does the same for one process, and the tool stop_all for a model.',
      'It ends with 0 only when every output was made safe. It ends with 1 when one was not, when a process does not ' +
        'answer, and when nothing runs.',
    ],
    examples: ['ferrule stop', 'ferrule stop greenhouse', 'ferrule stop /dev/ttyACM0'],
  },
  arm: {
    summary: 'Let the outputs of a board move again, after a stop',
    notes: ['Boards are armed one by one. Outputs that want to be armed stay off after every start, too.'],
    examples: ['ferrule arm', 'ferrule arm greenhouse --yes'],
  },
  status: {
    summary: 'Show what you run, who uses it, and whether it may move',
    notes: ['It ends with 1 when a process does not answer.'],
    examples: ['ferrule status', 'ferrule status --json'],
  },
  release: {
    summary: 'Have the bridge let go of a port, for an upload',
    notes: ['Calls that come meanwhile end with an error that says why. The host need not be restarted.'],
    examples: ['ferrule release /dev/ttyACM0 -- arduino-cli upload -p /dev/ttyACM0', 'ferrule release /dev/ttyACM0'],
  },
  service: {
    summary: 'Serve a board from the start of this computer on, as a service of systemd (Linux)',
    notes: [
      'Without --install or --remove it prints the unit on stdout, and what to do with it on stderr. What stands below ' +
        '--user is carried into the unit: see "ferrule help serve". Without --http and --serial it is --http localhost:8970.',
      'The outputs are safe before the service takes its first call, when it is stopped, when it is killed, and when it ' +
        'hangs: systemd then starts it anew.',
      'Its log: journalctl -u ferrule-NAME. "ferrule status", "stop", "arm" and "log" know it, for the user that it runs ' +
        'as, and for root.',
    ],
    examples: [
      'ferrule service greenhouse.json',
      'sudo ferrule service greenhouse.json --install',
      'ferrule service greenhouse.json --http 0.0.0.0:8970 --allowed-host pi.local',
      'sudo ferrule service greenhouse.json --remove',
    ],
  },
  safe: {
    summary: 'Put the outputs of a board that nobody serves into their safe state',
    notes: [
      'For what was left on by a server that was killed. It takes the hardware, makes it safe, gives it back and ends: ' +
        'with 0 only when every output was made safe. A board that is served is stopped with "ferrule stop".',
    ],
    examples: ['ferrule safe greenhouse.json'],
  },
  token: {
    summary: 'Make, list or revoke the tokens that let a client in over HTTP',
    notes: [
      'A new token is printed once, on stdout and alone. Only a hash of it is kept, so nobody can look it up later.',
      'A revoked token stops working with the next request. No server needs a restart.',
    ],
    examples: [
      'ferrule token create laptop --expires 90d',
      'ferrule token create dashboard --read-only',
      'ferrule token create anna --person',
      'ferrule token list',
      'ferrule token revoke laptop',
    ],
  },
  library: {
    summary: 'Put the Arduino library where the Arduino IDE looks for libraries',
    notes: ['Nothing else is changed. To take it out again, delete the folder that it names.'],
    examples: ['ferrule library', 'ferrule library ~/Arduino/libraries --force'],
  },
  emulate: {
    summary: 'Run the firmware of an Arduino Uno on an emulated chip, with its serial line on a TCP port',
    notes: [
      'Whatever board you want to write for an Uno, try it here first. Arduino IDE: Sketch, Export Compiled Binary. The ' +
        'address is printed on stdout, all else on stderr. Ctrl-C ends it.',
      'Round the chip is a simulated greenhouse: A0 soil moisture, A1 air temperature (0 to 5 V are -20 to 60 °C), A2 air ' +
        'humidity, A3 light (to 20000 lx), A4 water in the tank, A5 position of the vent, D2 high while water flows; D3 ' +
        'grow light (PWM), D4 heater, D7 tap of the tank, D8 pump, D9 servo of the vent.',
      'It never runs faster than a real one. It has no SPI and no I2C.',
    ],
    examples: ['ferrule emulate', 'ferrule emulate sketch.ino.hex --listen 127.0.0.1:5000 --pins'],
  },
  try: {
    summary: 'See the sensors and work the actuators yourself, in this terminal',
    notes: [
      'It starts the real server as a process of its own and speaks MCP to it, as a host does.',
      'Without a file there is a whole chain: the firmware of a greenhouse on an emulated chip, its serial line, the ' +
        'bridge. What is not real is the greenhouse.',
      'Run once through, it works actuators only in the built-in demo. In a file of yours it reads, and moves nothing.',
    ],
    examples: ['ferrule try', 'ferrule try greenhouse.ts', 'ferrule try --once --wire'],
  },
  host: {
    summary: 'Print the entry for the configuration of a host',
    notes: [
      'What stands below --dtr is carried into the entry: see "ferrule help serve".',
      'The entry goes to stdout, where it belongs goes to stderr. All paths are absolute, so that it works when an ' +
        'app starts it without your shell.',
      'When the file does not load, the entry is printed all the same, with the reason on stderr and exit code 1.',
    ],
    examples: [
      'ferrule host claude-desktop greenhouse.ts',
      'ferrule host claude-code greenhouse.ts | sh',
      'ferrule host cursor --port /dev/ttyACM0',
      'ferrule host vscode greenhouse.ts --allow pump:seconds=0..10',
    ],
  },
}
