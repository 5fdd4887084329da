// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.seatunnel.api.configuration.ReadonlyConfig;
import org.apache.seatunnel.api.table.catalog.CatalogTable;
import org.apache.seatunnel.api.table.type.BasicType;
import org.apache.seatunnel.api.table.type.SeaTunnelDataType;
import org.apache.seatunnel.api.table.type.SeaTunnelRowType;
import org.junit.jupiter.api.Test;

import java.util.Collections;
import java.util.Map;

class SourceTableTest {
    private static final SeaTunnelRowType TYPE =
            new SeaTunnelRowType(
                    new String[] {"v"}, new SeaTunnelDataType<?>[] {BasicType.LONG_TYPE});

    private static SourceTable table(Map<String, Object> options) {
        return SourceTable.named(ReadonlyConfig.fromMap(options), "Test", TYPE);
    }

    @Test
    void rowsCarryTheIdOfTheProducedTable() {
        for (Map<String, Object> options :
                java.util.Arrays.<Map<String, Object>>asList(
                        Collections.emptyMap(),
                        Collections.singletonMap("result_table_name", "t"),
                        Collections.singletonMap("plugin_output", "db.t"))) {
            SourceTable table = table(options);
            CatalogTable produced = table.catalogTables().get(0);
            assertThat(table.row(1L).getTableId())
                    .isEqualTo(produced.getTableId().toTablePath().toString());
            assertThat(produced.getSeaTunnelRowType()).isEqualTo(TYPE);
        }
    }

    @Test
    void theJobsNameForTheOutputIsTheTablesName() {
        assertThat(table(Collections.singletonMap("result_table_name", "t")).row(1L).getTableId())
                .isEqualTo("t");
        assertThat(table(Collections.singletonMap("plugin_output", "db.t")).row(1L).getTableId())
                .isEqualTo("db.t");
        assertThat(table(Collections.emptyMap()).row(1L).getTableId())
                .isEqualTo("default.default.default");
    }
}
