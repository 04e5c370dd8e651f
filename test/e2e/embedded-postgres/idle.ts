// A process that does nothing until its stdin ends. It stands for an unrelated process with the pid of a former server.
console.log('idle');
process.stdin.resume();
process.stdin.once('end', () => process.exit(0));
