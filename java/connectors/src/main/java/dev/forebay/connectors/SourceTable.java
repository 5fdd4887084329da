// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import org.apache.seatunnel.api.configuration.Option;
import org.apache.seatunnel.api.configuration.Options;
import org.apache.seatunnel.api.configuration.ReadonlyConfig;
import org.apache.seatunnel.api.table.catalog.CatalogTable;
import org.apache.seatunnel.api.table.catalog.CatalogTableUtil;
import org.apache.seatunnel.api.table.catalog.TablePath;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;
import org.apache.seatunnel.api.table.type.SeaTunnelRowType;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The one table that a source produces, and rows that belong to it. Immutable. */
public final class SourceTable implements Serializable {
    private static final long serialVersionUID = 1L;

    // Declared here because the engine renamed its own constant: releases up to 2.3.8 know the
    // second name only.
    private static final Option<String> PLUGIN_OUTPUT =
            Options.key("plugin_output").stringType().noDefaultValue();
    private static final Option<String> RESULT_TABLE_NAME =
            Options.key("result_table_name").stringType().noDefaultValue();

    private final CatalogTable catalogTable;
    private final String tableId;

    private SourceTable(CatalogTable catalogTable) {
        this.catalogTable = catalogTable;
        this.tableId = catalogTable.getTableId().toTablePath().getFullName();
    }

    /**
     * A table with the columns of {@code type}, named as the job names the output of the source
     * (its {@code plugin_output} or {@code result_table_name}), or {@link TablePath#DEFAULT} when
     * it does not.
     */
    public static SourceTable named(ReadonlyConfig config, String catalog, SeaTunnelRowType type) {
        Optional<String> output = config.getOptional(PLUGIN_OUTPUT);
        if (!output.isPresent()) {
            output = config.getOptional(RESULT_TABLE_NAME);
        }
        TablePath path = output.map(TablePath::of).orElse(TablePath.DEFAULT);
        return new SourceTable(
                CatalogTableUtil.getCatalogTable(
                        catalog,
                        path.getDatabaseName(),
                        path.getSchemaName(),
                        path.getTableName(),
                        type));
    }

    /** A list that the caller owns: the engine clears and refills it when it shards a job. */
    public List<CatalogTable> catalogTables() {
        List<CatalogTable> tables = new ArrayList<>(1);
        tables.add(catalogTable);
        return tables;
    }

    /** A row of this table; {@code fields} in the order of the columns. */
    public SeaTunnelRow row(Object... fields) {
        SeaTunnelRow row = new SeaTunnelRow(fields);
        row.setTableId(tableId);
        return row;
    }
}
