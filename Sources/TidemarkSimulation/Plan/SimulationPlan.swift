import TidemarkTesting

/// A schedule: the inputs of a simulated world in order, determined by a seed and by the inputs that are kept.
package struct SimulationPlan: Sendable {
    /// The number of inputs per schedule in `make test`.
    package static let inputCount = 200

    /// The seed of the schedule.
    package let seed: UInt64
    /// The properties of the schedule.
    package let traits: SimulationTraits
    /// The inputs in order.
    package let inputs: [SimulationInput]

    /// Draws a schedule.
    ///
    /// - Parameter isQuiet: True for a schedule without faults.
    package init(seed: UInt64, inputCount: Int = SimulationPlan.inputCount, isQuiet: Bool = false) {
        self.seed = seed
        let traits = SimulationTraits(seed: seed, isQuiet: isQuiet)
        var random = SeededGenerator(seed: seed ^ 0x706C_616E)
        let kinds = SimulationInput.Kind.allCases
        inputs = (0..<inputCount).map { number in
            SimulationInput(number: number, kind: kinds[random.weighted(traits.weights)], seed: random.next())
        }
        self.traits = traits
    }

    private init(_ plan: SimulationPlan, _ inputs: [SimulationInput]) {
        seed = plan.seed
        traits = plan.traits
        self.inputs = inputs
    }

    /// Returns the plan reduced to some of its inputs.
    package func keeping(_ numbers: some Sequence<Int>) -> SimulationPlan {
        let kept = Set(numbers)
        return SimulationPlan(self, inputs.filter { kept.contains($0.number) })
    }
}
