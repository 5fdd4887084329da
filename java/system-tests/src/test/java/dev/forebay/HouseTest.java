// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures;

/** Which package may know which: native <- runtime <- zeta <- connectors <- testkit <- demo. */
@AnalyzeClasses(packages = "dev.forebay", importOptions = ImportOption.DoNotIncludeTests.class)
class HouseTest {
    @ArchTest
    static final ArchRule DEPENDENCIES_POINT_ONE_WAY =
            Architectures.layeredArchitecture()
                    .consideringOnlyDependenciesInLayers()
                    .layer("natives")
                    .definedBy("dev.forebay.natives..")
                    .layer("runtime")
                    .definedBy("dev.forebay.runtime..")
                    .layer("zeta")
                    .definedBy("dev.forebay.zeta..")
                    .layer("connectors")
                    .definedBy("dev.forebay.connectors..")
                    .layer("testkit")
                    .definedBy("dev.forebay.testkit..")
                    .whereLayer("testkit")
                    .mayNotBeAccessedByAnyLayer()
                    .whereLayer("connectors")
                    .mayOnlyBeAccessedByLayers("testkit")
                    .whereLayer("zeta")
                    .mayOnlyBeAccessedByLayers("connectors", "testkit")
                    .whereLayer("runtime")
                    .mayOnlyBeAccessedByLayers("zeta", "connectors", "testkit")
                    .whereLayer("natives")
                    .mayOnlyBeAccessedByLayers("runtime", "zeta");

    @ArchTest
    static final ArchRule THE_LOADER_NEEDS_NOTHING =
            classes()
                    .that()
                    .haveNameMatching("dev\\.forebay\\.natives\\.(NativeLibrary|PrivateFolder).*")
                    .should()
                    .onlyDependOnClassesThat()
                    .haveNameMatching(
                            "java\\..*|\\[.*|dev\\.forebay\\.natives\\."
                                    + "(NativeLibrary|PrivateFolder|NativeException).*");

    @ArchTest
    static final ArchRule PUBLIC_API_KNOWS_NO_DRIVER =
            noClasses()
                    .that()
                    .resideInAPackage("dev.forebay.runtime")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("dev.forebay.runtime.driver..", "dev.forebay.natives..");

    @ArchTest
    static final ArchRule ONLY_THE_ADAPTER_KNOWS_THE_ENGINE =
            noClasses()
                    .that()
                    .resideOutsideOfPackages(
                            "dev.forebay.zeta..", "dev.forebay.testkit..", "dev.forebay.demo..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("com.hazelcast..", "org.apache.seatunnel.engine..");

    @ArchTest
    static final ArchRule NOTHING_SLEEPS =
            noClasses().should().callMethod(Thread.class, "sleep", long.class);

    @ArchTest
    static final ArchRule LETTER_CASE_DOES_NOT_DEPEND_ON_THE_LOCALE =
            noClasses()
                    .should()
                    .callMethod(String.class, "toLowerCase")
                    .orShould()
                    .callMethod(String.class, "toUpperCase");
}
