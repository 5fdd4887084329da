// Licensed under the Apache License, Version 2.0. See LICENSE.
/**
 * {@code ManagedFile}: reads the lines of files, a split a file, exactly once across restarts.
 *
 * <p>The coordinator lists the files once; what was there then, up to the size that each file had
 * then, is the input of the job. So a restarted job reads the same bytes, whatever is appended or
 * added meanwhile. All members of the cluster must see the files under the same path.
 */
package dev.forebay.connectors.file;
