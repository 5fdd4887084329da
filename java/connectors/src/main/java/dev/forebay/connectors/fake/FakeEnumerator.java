// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.fake;

import dev.forebay.connectors.PendingSplits;
import dev.forebay.connectors.RequestEnumerator;
import dev.forebay.runtime.ManagedSplitEnumerator;

import java.util.ArrayList;
import java.util.List;

/** Makes the configured number of splits; a restored job keeps those that it had. */
final class FakeEnumerator extends RequestEnumerator<FakeSplit> {
    private final FakeSettings settings;

    FakeEnumerator(
            ManagedSplitEnumerator.Context<FakeSplit> context,
            PendingSplits<FakeSplit> restored,
            FakeSettings settings) {
        super(context, restored);
        this.settings = settings;
    }

    @Override
    protected void discover() {
        List<FakeSplit> splits = new ArrayList<>(settings.splits);
        for (int i = 0; i < settings.splits; i++) {
            splits.add(new FakeSplit(i, settings.rows, 0));
        }
        discovered(splits);
    }
}
