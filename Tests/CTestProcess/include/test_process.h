// Settings of the process that runs the tests: as in the command, SQLite keeps no account of its memory, for which the
// threads of the tests would wait. There is nothing to call.
#ifndef TIDEMARK_TEST_PROCESS_H
#define TIDEMARK_TEST_PROCESS_H
#endif
