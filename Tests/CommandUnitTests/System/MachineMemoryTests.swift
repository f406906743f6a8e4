import TestTraits
import Testing

@testable import TidemarkCommand

/// The memory that a process may take, from the files of a machine that are given here.
@Suite(.pooled) struct MachineMemoryTests {
    private static let machine = 24 << 30

    private func byteCount(_ files: [String: String]) -> Int {
        MachineMemory(physicalByteCount: MachineMemoryTests.machine) { files[$0] }.byteCount
    }

    @Test func `without control groups it is the machine's memory`() {
        #expect(byteCount([:]) == MachineMemoryTests.machine)
        #expect(byteCount(["/proc/self/cgroup": "rubbish\n\n1:2\n"]) == MachineMemoryTests.machine)
    }

    @Test(arguments: [
        // A container: its own group is the root.
        ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "1073741824\n"],
        [
            "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max\n",
            "/sys/fs/cgroup/memory.high": "1073741824",
        ],
        // A service: its group has the limit, or a group around it.
        [
            "/proc/self/cgroup": "0::/system.slice/tidemark.service\n",
            "/sys/fs/cgroup/system.slice/tidemark.service/memory.max": "1073741824\n",
            "/sys/fs/cgroup/system.slice/memory.max": "max\n",
        ],
        [
            "/proc/self/cgroup": "0::/system.slice/tidemark.service\n",
            "/sys/fs/cgroup/system.slice/tidemark.service/memory.max": "2147483648\n",
            "/sys/fs/cgroup/system.slice/memory.max": "1073741824\n",
        ],
        // A path outside of what the container sees.
        ["/proc/self/cgroup": "0::/../../other\n", "/sys/fs/cgroup/memory.max": "1073741824\n"],
        // Version 1, with the path of the machine in a container that sees its own group as the root.
        [
            "/proc/self/cgroup": "11:cpu,cpuacct:/docker/a\n4:memory:/docker/a\n0::/\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824\n",
        ],
        [
            "/proc/self/cgroup": "4:pids,memory:/docker/a\n",
            "/sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes": "1073741824\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        ],
    ])
    func `the least limit of a process's control groups counts`(files: [String: String]) {
        #expect(byteCount(files) == 1 << 30)
    }

    @Test(arguments: ["max\n", "", "0\n", "-5\n", "9223372036854771712\n", "99999999999999999999999\n", "ten\n"])
    func `a limit that is none leaves the machine's memory`(text: String) {
        let files = ["/proc/self/cgroup": "0::/a\n", "/sys/fs/cgroup/a/memory.max": text]
        #expect(byteCount(files) == MachineMemoryTests.machine)
    }

    @Test func `the group of another controller does not count`() {
        let files = ["/proc/self/cgroup": "3:cpu:/a\n", "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1073741824"]
        #expect(byteCount(files) == MachineMemoryTests.machine)
    }

    @Test func `this machine has memory`() {
        let memory = MachineMemory.current()
        #expect(memory.byteCount > 16 << 20)
        #expect(memory.byteCount <= memory.physicalByteCount)
    }
}
